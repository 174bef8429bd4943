import { expect, it } from 'vitest';
import { chosenFirst } from './chosen-first.ts';

const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];

it('puts what was chosen before the others, once each, also what is not among the entries yet', () => {
  expect(chosenFirst([c], [a, b, c])).toEqual([c, a, b]);
  expect(chosenFirst([c], [a, b])).toEqual([c, a, b]);
  expect(chosenFirst([], [a, b])).toEqual([a, b]);
});
