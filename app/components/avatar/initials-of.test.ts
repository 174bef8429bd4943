import { describe, expect, it } from 'vitest';
import { initialsOf } from './initials-of.ts';

describe('the initials of a name', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['Rivières & Forêts du Nord', 'RF'],
    ['  élodie   Ève ', 'ÉÈ'],
    ['(the) « Lakes »', 'TL'],
    ['ada', 'AD'],
    ['X', 'X'],
    // A letter outside the first 65,536 characters is not cut in two.
    ['𐐨da 🌲 Woods', '𐐀W'],
    ['🌲', ''],
    ['', ''],
  ])('of %s are %s', (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});
