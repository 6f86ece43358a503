"""Which sign or word a LaTeX command stands for."""

from __future__ import annotations

import unicodedata
from enum import Enum, auto


class Kind(Enum):
    """What a piece of a formula is, which decides the blanks around it."""

    ORDINARY = auto()
    RELATION = auto()
    BINARY = auto()
    SIGN = auto()
    OPERATOR = auto()
    OPENING = auto()
    CLOSING = auto()
    PUNCTUATION = auto()
    FRACTION = auto()
    BLANK = auto()


def words(table: str) -> list[str]:
    """The words of a table written as running text."""
    return table.split()


def _pairs(table: str) -> dict[str, str]:
    entries = words(table)
    return dict(zip(entries[::2], entries[1::2], strict=True))


_ORDINARY = _pairs("""
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε eps ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ varkappa ϰ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς
    tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ varTheta Θ Lambda Λ Xi Ξ
    Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ hbar ℏ imath ı jmath ȷ Re ℜ Im ℑ aleph ℵ wp ℘
    infty ∞ infin ∞ partial ∂ nabla ∇ forall ∀ exists ∃ nexists ∄ emptyset ∅ varnothing ∅ top ⊤ bot ⊥
    angle ∠ degree ° prime ′ dagger † ddagger ‡ dag † ddag ‡ neg ¬ lnot ¬ ldots … dots … cdots ⋯ dotsc …
    dotsb ⋯ vdots ⋮ ddots ⋱ square □ Box □ blacksquare ■ triangle △ diamond ⋄ clubsuit ♣ heartsuit ♥
    spadesuit ♠ checkmark ✓ flat ♭ sharp ♯ natural ♮ Vert ‖ vert | lvert | rvert | lVert ‖ rVert ‖
    backslash \\ colon : star ⋆ ast ∗ deg ° pounds £ euro € copyright © S § P ¶ surd √ sslash ⫽ N ℕ R ℝ
    Z ℤ Q ℚ E E bigstar ★ varstar ★ complement ∁ Finv Ⅎ
""")
_RELATIONS = _pairs("""
    leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ ll ≪ gg ≫ lt < gt > equiv ≡ sim ∼ simeq ≃
    approx ≈ approxeq ≊ cong ≅ asymp ≍ propto ∝ in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆
    supseteq ⊇ subsetneq ⊊ sqsubseteq ⊑ prec ≺ preceq ⪯ succ ≻ succeq ⪰ to → rightarrow →
    longrightarrow → leftarrow ← gets ← leftrightarrow ↔ longleftrightarrow ↔ Rightarrow ⇒
    Longrightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ mapsto ↦ longmapsto ↦ hookrightarrow ↪
    rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝ rightsquigarrow ⇝ uparrow ↑ downarrow ↓ updownarrow ↕
    nearrow ↗ searrow ↘ mid | nmid ∤ parallel ∥ perp ⟂ vdash ⊢ models ⊨ vDash ⊨ triangleq ≜ coloneqq ≔
    doteq ≐ lesssim ≲ gtrsim ≳ xrightarrow → bowtie ⋈
""")
_BINARIES = _pairs("""
    times × cdot · div ÷ pm ± mp ∓ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ circ ∘ bullet • cap ∩ cup ∪ sqcup ⊔
    uplus ⊎ wedge ∧ land ∧ vee ∨ lor ∨ setminus ∖ ltimes ⋉ rtimes ⋊ bigcirc ○ diamondsuit ♦
    choose choose bmod mod
""")
_OPERATORS = _pairs("""
    sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁
    bigwedge ⋀
""") | {
    word: word
    for word in words(
        "log ln lg exp sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan min max sup inf lim "
        "limsup liminf argmin argmax det dim ker rank tr Tr diag sgn sign Pr gcd arg hom polylog poly "
        "softmax supp"
    )
}
_OPENING = _pairs("langle ⟨ lceil ⌈ lfloor ⌊ lbrace { lbrack [ lparen ( ulcorner ⌜")
_CLOSING = _pairs("rangle ⟩ rceil ⌉ rfloor ⌋ rbrace } rbrack ] rparen ) urcorner ⌝")

COMMANDS: dict[str, tuple[str, Kind]] = {
    name: (sign, kind)
    for table, kind in (
        (_ORDINARY, Kind.ORDINARY),
        (_RELATIONS, Kind.RELATION),
        (_BINARIES, Kind.BINARY),
        (_OPERATORS, Kind.OPERATOR),
        (_OPENING, Kind.OPENING),
        (_CLOSING, Kind.CLOSING),
    )
    for name, sign in table.items()
}
"""Commands without an argument, and how the sign behaves among others."""

CHARACTERS: dict[str, Kind] = {
    **dict.fromkeys("=<>≤≥≠≈∼→←∈⊆⊂≡≪≫", Kind.RELATION),
    **dict.fromkeys("×·±", Kind.BINARY),
    **dict.fromkeys("+-−", Kind.SIGN),
    **dict.fromkeys("([", Kind.OPENING),
    **dict.fromkeys(")]", Kind.CLOSING),
    **dict.fromkeys(",;", Kind.PUNCTUATION),
}

ACCENTS = {
    **dict.fromkeys(("hat", "widehat", "^"), "\u0302"),
    **dict.fromkeys(("tilde", "widetilde", "~"), "\u0303"),
    **dict.fromkeys(("bar", "overline", "="), "\u0304"),
    **dict.fromkeys(("dot", "."), "\u0307"),
    **dict.fromkeys(("ddot", '"'), "\u0308"),
    **dict.fromkeys(("check", "widecheck", "v"), "\u030c"),
    **dict.fromkeys(("breve", "u"), "\u0306"),
    **dict.fromkeys(("acute", "'"), "\u0301"),
    **dict.fromkeys(("grave", "`"), "\u0300"),
    **dict.fromkeys(("mathring", "r"), "\u030a"),
    **dict.fromkeys(("vec", "overrightarrow"), "\u20d7"),
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "d": "\u0323",
}
"""The combining sign of an accent, in formulas (`\\hat`) and over letters (`\\'`, `\\c`)."""

LETTER_ACCENTS = frozenset("^~=.\"vu'`rHckd")

LETTERS = _pairs("""
    ss ß o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ dh ð DH Ð th þ TH Þ LaTeX LaTeX TeX TeX
    textgreater > textless < textbar | textbackslash \\ textasciitilde ~ textasciicircum ^
    textunderscore _ textdollar $ textemdash — textendash – textquoteright ’ textquoteleft ‘
    textquotedblleft “ textquotedblright ” textdegree ° textmu µ texttimes × textpm ± textregistered ®
    texttrademark ™ textbullet • item • textellipsis … textasteriskcentered * textrightarrow → slash /
    lq ‘ rq ’ eg e.g. ie i.e. etc etc. etal etal. wrt w.r.t. iid i.i.d. aka a.k.a. resp resp. egno e.g.
    ieno i.e.
""") | {"etal": "et al.", "quad": " ", "qquad": " ", "newline": " ", "par": " ", "space": " ", "xspace": ""}
"""Commands of running text without an argument."""

SWITCHES = {
    **dict.fromkeys(words("bf it em sl sc tt bfseries itshape slshape scshape ttfamily"), True),
    **dict.fromkeys(
        words(
            "rm sf cal normalfont mdseries upshape rmfamily sffamily tiny scriptsize "
            "footnotesize small normalsize large Large LARGE huge centering noindent "
            "selectfont protect relax boldmath displaystyle textstyle scriptstyle limits "
            "nolimits left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr "
            "Biggl Biggr mathstrut allowbreak nonumber notag smallskip medskip bigskip "
            "newpage ignorespaces"
        ),
        False,
    ),
}
"""Commands that leave no trace; True where they set what follows in another face for emphasis."""

EMPHASIS = frozenset(
    words("textbf textit emph textsc texttt textsl textsf underline ul uline textul textmd bold strong b i")
)
FONTS = EMPHASIS | frozenset(
    words(
        "text textrm textnormal textup mbox hbox mathrm mathbf mathit mathsf mathtt "
        "mathcal mathscr mathfrak mathbb mathbbm mathds mathnormal boldsymbol bm pmb "
        "symbfit symbf symbfup Bbb ensuremath operatorname operatornamewithlimits mathop "
        "mathrel mathbin mathord underbrace overbrace boxed smash vphantom emph stackrel "
        "cancel rm bf it sf tt cal em"
    )
)
"""Commands that change only the face of their argument."""

DROPPED = dict.fromkeys(
    words(
        "label vspace hspace color textcolor colorbox fontfamily fontsize begin end "
        "bibliographystyle bibliography includegraphics thanks phantom hphantom tag "
        "fontseries fontshape"
    ),
    1,
) | {"fontsize": 2, "setlength": 2, "raisebox": 1, "resizebox": 2, "scalebox": 1}
"""How many arguments of a command say nothing to a reader."""

BLACKBOARD = _pairs("R ℝ N ℕ Z ℤ Q ℚ C ℂ P ℙ H ℍ")

SUPERSCRIPTS = dict(
    zip(
        "0123456789+-−=abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW⊤′*∗⋆°∘†‡",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ′***°°†‡",
        strict=True,
    )
)
SUBSCRIPTS = dict(zip("0123456789+-−=aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))

NOT_COMPOSED = {
    "∈": "∉",
    "=": "≠",
    "<": "≮",
    ">": "≯",
    "⊂": "⊄",
    "⊆": "⊈",
    "≡": "≢",
    "∼": "≁",
    "∃": "∄",
    "|": "∤",
}
"""What `\\not` makes of the sign after it."""


def accented(text: str, accent: str) -> str:
    """`text` with the combining sign over its first letter: of `x`, or of `O(n)`; words keep none."""
    if not text or not (len(text) == 1 or text[1] in "(^_" or not text[1:].isalpha()):
        return text
    return unicodedata.normalize("NFC", text[0] + accent + text[1:])
