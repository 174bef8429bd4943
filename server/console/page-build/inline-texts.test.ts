import { expect, it } from 'vitest';
import { addTextsTo, requireExtracted } from './inline-texts.ts';

const TEXTS = new Map([
  ['aB3/+d', [['Sites'], ['Sites']]],
  ['frame.signOut', [['Sign out'], ['Fermer la session']]],
  ['zZ9zZ9', [['Elsewhere'], ['Ailleurs']]],
]);

it('a module brings the texts that it shows, in every language, and no others', () => {
  const code = `const a = i18n._(/*i18n*/ {\n  id: "aB3/+d"\n}); jsx(Trans, { id: 'frame.signOut' });`;
  const added = addTextsTo(code, TEXTS) ?? '';
  expect(added.startsWith(code)).toBe(true);
  expect(added).toContain(
    '[["aB3/+d",["Sites"],["Sites"]],["frame.signOut",["Sign out"],["Fermer la session"]]]',
  );
  expect(added).not.toContain('Ailleurs');
});

it('a module without texts stays as it is', () => {
  expect(addTextsTo(`export const id = 'unknown';`, TEXTS)).toBeNull();
});

it('a message that no catalog knows fails the build', () => {
  expect(() => requireExtracted(`i18n._(/*i18n*/ { id: "aB3/+d" })`, TEXTS)).not.toThrow();
  expect(() => requireExtracted(`i18n._(/*i18n*/ {\n id: "nEw123" })`, TEXTS)).toThrow('nEw123');
});
