import { expect, it } from 'vitest';
import { chosenFirst, notShown, withPicked } from './chosen-first.ts';

const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];

it('puts what was chosen before the others, once each, also what is not among the entries yet', () => {
  expect(chosenFirst([c], [a, b, c])).toEqual([c, a, b]);
  expect(chosenFirst([c], [a, b])).toEqual([c, a, b]);
  expect(chosenFirst([], [a, b])).toEqual([a, b]);
});

it('what was found and checked stays at hand when the list no longer shows it, once', () => {
  const [one, two] = [{ id: '1' }, { id: '2' }];
  const picked = withPicked(withPicked(withPicked([], one), two), one);
  expect(picked).toEqual([one, two]);
  expect(notShown(picked, [two, { id: '3' }])).toEqual([one]);
});
