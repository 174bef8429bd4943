import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { attackExpression } from '#tests/support/sources/attack-expression.ts';
import { listExpressions } from '#tests/support/sources/list-expressions.ts';

const { written, made } = listExpressions(process.cwd(), ['server', 'cli', 'app', 'db']);

describe('a regular expression takes linear time', () => {
  test('anywhere in the product', () => {
    expect(written.size).toBeGreaterThan(150);
    const slow: string[] = [];
    for (const [text, { expression, files }] of written) {
      const attack = attackExpression(expression);
      if (attack !== null)
        slow.push(`${text} in ${files.join(', ')}, attacked with ${JSON.stringify(attack)}`);
    }
    expect(slow).toEqual([]);
  });

  test('for email addresses too', () => {
    expect(attackExpression(z.core.regexes.email)).toBeNull();
  });

  test('and is built from text only in known places, from fixed parts', () => {
    // The parts of the second are the paths of its own table.
    expect([...made].sort()).toEqual([
      'server/payments/sandbox/sandbox.ts',
      'server/services/credentials/rules.ts',
    ]);
  });

  test.each([
    [/^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i],
    [/-+$/],
    [/\s+$/],
    [/^-+|-+$/g],

    [/[?#].*$/],
    [/^[^\r\n]*[^\s@]@[^\s@][^\r\n]*$/],
  ])('the attack finds the problem with %s', (expression) => {
    expect(attackExpression(expression)).not.toBeNull();
  });

  test.each([[/^[\w-]{8,64}$/], [/\{(\w+)\}/g], [/^https?:\/\//], [/[^a-z0-9-]/g]])(
    'and finds no problem with %s',
    (expression) => {
      expect(attackExpression(expression)).toBeNull();
    },
  );
});
