import { expect, it } from 'vitest';
import { toAppError } from './errors.ts';

it('text that PostgreSQL cannot store is the request’s fault and not a defect', () => {
  const refused = Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), {
    code: '22021',
  });
  expect(toAppError(refused)).toMatchObject({ code: 'invalid_input', status: 400 });
});
