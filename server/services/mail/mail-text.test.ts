import { describe, expect, it } from 'vitest';
import { toOneLine, toPlainName } from './mail-text.ts';

describe('a name in a message', () => {
  it('stays as it is when it is plain', () => {
    expect(toPlainName('Les Éditions du Nord & Cie')).toBe('Les Éditions du Nord & Cie');
  });

  it('has one line, a limited length and nothing that becomes a link', () => {
    expect(toPlainName('  a\r\nBcc:\u2028b\0c ')).toBe('a Bcc: b c');
    expect([...toPlainName('é'.repeat(500))]).toHaveLength(100);
    expect(toPlainName('https://evil.example ada@example.ca')).toBe(
      'https: evil.\u200bexample ada@\u200bexample.\u200bca',
    );
  });

  it('and what stands around it keep their no-break spaces', () => {
    expect(toOneLine(`Facture\u00a0: 1\u00a0234,56\u00a0$\n${toPlainName('12\u00a0h')}`)).toBe(
      'Facture\u00a0: 1\u00a0234,56\u00a0$ 12\u00a0h',
    );
  });

  it('from right to left is isolated, and stays so in a subject', () => {
    const name = toPlainName('شركة الشمال');
    expect(name).toBe('\u2068شركة الشمال\u2069');
    expect(toOneLine(`Invoice for ${name} · Portage`)).toBe('Invoice for \u2068شركة الشمال\u2069 · Portage');
  });

  it('cannot turn what follows it, nor end its isolation', () => {
    expect(toPlainName('\u202eNord\u2066')).toBe('Nord');
    expect(toPlainName('שלום\u2069\u202e')).toBe('\u2068שלום\u2069');
  });
});
