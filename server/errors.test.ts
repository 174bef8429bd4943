import { expect, it } from 'vitest';
import { AppError, invalidField, isNodeError, toAppError } from './errors.ts';

it('text that PostgreSQL cannot store is the request’s fault and not a defect', () => {
  const refused = Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), {
    code: '22021',
  });
  expect(toAppError(refused)).toMatchObject({ code: 'invalid_input', status: 400 });
});

it('a full disk of PostgreSQL is one that is full, and not a defect', () => {
  const refused = Object.assign(new Error('could not extend file: No space left on device'), {
    code: '53100',
  });
  expect(toAppError(refused)).toMatchObject({ code: 'storage_full', status: 507 });
});

it('only an error with a code in words is one of Node’s', () => {
  expect(isNodeError(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBe(true);
  expect(isNodeError(Object.assign(new Error('refused'), { code: 7 }))).toBe(false);
  expect(isNodeError(new Error('refused'))).toBe(false);
  expect(isNodeError({ code: 'ENOENT' })).toBe(false);
});

it('a refusal that is always about one field names it, and its text says why', () => {
  const message = 'The site name must contain at least one letter or digit (a-z, 0-9).';
  expect(new AppError('site_name_empty').fields).toEqual([{ path: 'name', message }]);
  expect(new AppError('site_has_endpoints').fields).toEqual([]);
  expect(invalidField('limit', 'must be at most 200')).toMatchObject({
    message: expect.stringContaining('limit: must be at most 200'),
    fields: [{ path: 'limit', message: 'must be at most 200' }],
  });
});
