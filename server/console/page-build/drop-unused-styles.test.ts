import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { shownComponents, withoutStyles } from './drop-unused-styles.ts';

const root = process.cwd();

describe('the styles that every page waits for', () => {
  it('lack those of components that no page shows, and keep all others with their order', () => {
    const parts = new Map([
      ['Button', '.button{}'],
      ['Rating', '.rating{}'],
    ]);
    const sheet = ':root{}\n.button{}\n.rating{}\n.after{}';
    expect(withoutStyles(sheet, parts, new Set(['Button']))).toBe(':root{}\n.button{}\n\n.after{}');
  });

  it('are not guessed at when the library makes its sheet in another way', () => {
    const parts = new Map([['Rating', '.rating{color:red}']]);
    expect(() => withoutStyles('.rating{}', parts, new Set())).toThrow('Rating');
  });

  it('include those of what a component is made of, and of what other packages show', async () => {
    const shown = await shownComponents(root);
    expect(await readFile(`${root}/app/components/dialogs/side-panel-drawer.tsx`, 'utf8')).toContain(
      'Drawer',
    );
    for (const component of ['Drawer', 'ModalBase', 'CloseButton', 'Notification'])
      expect(shown).toContain(component);
    expect(shown).not.toContain('Rating');
  });
});
