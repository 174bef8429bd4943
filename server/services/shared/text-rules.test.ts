import { describe, expect, it } from 'vitest';
import { typedEmailSchema } from './schema.ts';
import { withoutUnseen } from './text-rules.ts';

describe('a pasted text', () => {
  it('loses what nobody sees: marks of direction, of places to break and of byte order', () => {
    expect(withoutUnseen('\ufeff\u202awww.exam\u00adple.\u200bca\u202c\u2060')).toBe('www.example.ca');
  });

  it('keeps joiners, which Persian names and emoji are written with', () => {
    for (const text of ['نامه\u200cای', '👩\u200d🔧']) expect(withoutUnseen(text)).toBe(text);
  });

  it.each(['ada@example.ca\u200b', '\u202aada@example.ca\u202c\n', '\ufeff ada@example.ca\u00a0'])(
    'is read as the email address that it looks like: %j',
    (typed) => {
      expect(typedEmailSchema.parse(typed)).toBe('ada@example.ca');
    },
  );
});
