"""Messages survive being stored."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.messages import model
from bot.messages.codec import decode, encode
from bot.messages.model import Button, Form, Message

BLOCKS = st.one_of(
    *(st.from_type(kind) for kind in model.Block.__args__)  # type: ignore[attr-defined]
)


@pytest.fixture(autouse=True, scope="module")
def instants() -> None:
    """Instants of the model are aware."""
    moments = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
    st.register_type_strategy(datetime, moments)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_message_of_any_blocks_comes_back_equal(data: st.DataObject) -> None:
    message = Message(data.draw(st.text(max_size=5)), tuple(data.draw(st.lists(BLOCKS, max_size=2))))
    assert decode(encode(message), Message) == message


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_form_of_any_fields_comes_back_equal(data: st.DataObject) -> None:
    form = data.draw(st.from_type(Form))
    assert decode(encode(form), Form) == form


def test_defaults_are_not_written() -> None:
    assert encode(Button("a", "b")) == '{"is":"Button","id":"a","label":"b"}'
    assert encode(Button("a", "b", disabled=True)).endswith('"disabled":true}')


def test_fields_of_a_newer_version_are_dropped() -> None:
    assert decode('{"is":"Button","id":"a","label":"b","glow":true}', Button) == Button("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"is":"Nothing"}',
        '{"is":"Message"}',
        '{"is":"Button","id":"a","label":"b"}',
        "[]",
        '"x"',
        "{}",
    ],
)
def test_what_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode(text, Message)
