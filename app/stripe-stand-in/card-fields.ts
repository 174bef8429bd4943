import {
  CARD_FIELDS,
  type CardField,
  findProblems,
  groupExpiry,
  groupNumber,
  type TypedCard,
} from './card-rules.ts';
import { makeElement } from './make-element.ts';
import { openPlace } from './style-sheet.ts';
import { describeProblem, type Words } from './words.ts';

const FILLED_YEARS = 3;
const WIDTHS: Record<CardField, number> = { number: 23, expiry: 7, code: 4 };

/** The fields of a card with their messages. What was typed stays until the element is removed. */
export interface CardFields {
  host: HTMLElement;
  typed(): TypedCard;
  /**
   * Shows the problem next to each field, moves the focus there, and returns the first problem's code and
   * message.
   */
  check(): { code: string; message: string } | null;
  setWords(words: Words): void;
  focus(): void;
}

/** Creates the fields; `onChange` is called for every key. */
export function makeCardFields(initial: Words, onChange: () => void): CardFields {
  let words = initial;
  const host = makeElement('div');
  const place = openPlace(host);
  const inputs = {
    number: makeInput('number', groupNumber),
    expiry: makeInput('expiry', groupExpiry),
    code: makeInput('code', (typed) => typed.replace(/\D/g, '').slice(0, 4)),
  };
  const labels = { number: makeLabel('number'), expiry: makeLabel('expiry'), code: makeLabel('code') };
  const problems = {
    number: makeProblem('number'),
    expiry: makeProblem('expiry'),
    code: makeProblem('code'),
  };
  const title = makeElement('strong');
  const hint = makeElement('span');
  const fill = makeElement('button', { type: 'button' });

  const typed = (): TypedCard => ({
    number: inputs.number.value,
    expiry: inputs.expiry.value,
    code: inputs.code.value,
  });
  const say = (field: CardField, problem: string | undefined) => {
    problems[field].textContent = problem ?? '';
    if (problem === undefined) inputs[field].removeAttribute('aria-invalid');
    else inputs[field].setAttribute('aria-invalid', 'true');
  };
  for (const field of CARD_FIELDS) {
    inputs[field].addEventListener('input', () => {
      say(field, undefined);
      onChange();
    });
  }
  fill.addEventListener('click', () => {
    const year = String((new Date().getFullYear() + FILLED_YEARS) % 100).padStart(2, '0');
    const card: TypedCard = { number: '4242 4242 4242 4242', expiry: `12 / ${year}`, code: '123' };
    for (const field of CARD_FIELDS) {
      inputs[field].value = card[field];
      say(field, undefined);
    }
    onChange();
  });
  place.append(
    makeElement('div', { class: 'strip' }, [makeElement('div', {}, [title, hint]), fill]),
    makeElement(
      'div',
      { class: 'fields' },
      CARD_FIELDS.map((field) =>
        makeElement('div', { class: `field ${field}` }, [labels[field], inputs[field], problems[field]]),
      ),
    ),
  );
  // The provider's frame also passes the key on to the form around it.
  place.addEventListener('keydown', (event) => {
    const isEnter = event instanceof KeyboardEvent && event.key === 'Enter';
    if (isEnter && event.target instanceof HTMLInputElement) host.closest('form')?.requestSubmit();
  });

  const fields: CardFields = {
    host,
    typed,
    check() {
      const found = findProblems(typed(), new Date());
      for (const field of CARD_FIELDS) say(field, describeProblem(words, found[field], undefined));
      const first = CARD_FIELDS.find((field) => found[field]);
      if (first === undefined) return null;
      inputs[first].focus();
      return { code: found[first] ?? '', message: problems[first].textContent ?? '' };
    },
    setWords(next) {
      words = next;
      host.lang = words.language;
      title.textContent = words.sandbox;
      hint.textContent = words.onlyTestCards;
      fill.textContent = words.fill;
      for (const field of CARD_FIELDS) labels[field].textContent = words[field];
      inputs.number.placeholder = '4242 4242 4242 4242';
      inputs.expiry.placeholder = words.expiryHint;
      inputs.code.placeholder = words.codeHint;
    },
    focus: () => inputs.number.focus(),
  };
  fields.setWords(words);
  return fields;
}

/** Browsers must not suggest a known card: a real one does not belong in a sandbox. */
function makeInput(field: CardField, group: (typed: string) => string): HTMLInputElement {
  const input = makeElement('input', {
    id: field,
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: String(WIDTHS[field]),
    'aria-describedby': `${field}-problem`,
  });
  input.addEventListener('input', () => {
    // Only at the end: in the middle the cursor would jump.
    const isAtEnd = input.selectionStart === input.value.length;
    const isDeleting = input.value.length < Number(input.dataset.length ?? 0);
    if (isAtEnd && !isDeleting) input.value = group(input.value);
    input.dataset.length = String(input.value.length);
  });
  return input;
}

function makeLabel(field: CardField): HTMLLabelElement {
  return makeElement('label', { for: field });
}

function makeProblem(field: CardField): HTMLParagraphElement {
  return makeElement('p', { id: `${field}-problem`, class: 'problem', role: 'alert' });
}
