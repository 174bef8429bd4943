import { describe, expect, it } from 'vitest';
import { checkPolicy } from './post-policy.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const EXPIRATION = '2026-03-01T13:00:00Z';
const policyOf = (conditions: unknown, expiration: unknown = EXPIRATION) =>
  Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
const check = (policy: string, fields: Record<string, string>) =>
  checkPolicy(policy, new Map(Object.entries(fields)), NOW);
const refusal = (policy: string, fields: Record<string, string> = {}) => {
  try {
    check(policy, fields);
    return 'allowed';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the policy of a form', () => {
  it('allows what its conditions state, whatever the case of names', () => {
    const policy = policyOf([{ Bucket: 'b' }, ['starts-with', '$Key', 'a/'], ['EQ', '$acl', 'private']]);
    const fields = { bucket: 'b', key: 'a/1', acl: 'private' };
    expect(check(policy, fields)).toBeNull();
    expect(refusal(policy, { ...fields, key: 'b/1' })).toBe('AccessDenied');
    expect(refusal(policy, { ...fields, acl: 'public-read' })).toBe('AccessDenied');
    expect(refusal(policy, { bucket: 'b', key: 'a/1' })).toBe('AccessDenied');
  });

  it('allows a list of content types when it allows each of them', () => {
    const policy = policyOf([['starts-with', '$Content-Type', 'text/']]);
    expect(refusal(policy, { 'content-type': 'text/plain, text/html' })).toBe('allowed');
    expect(refusal(policy, { 'content-type': 'text/plain, image/png' })).toBe('AccessDenied');
  });

  it('must mention every field but its own, ignored ones and checksums', () => {
    const policy = policyOf([{ bucket: 'b' }]);
    const free = { policy: 'x', 'x-amz-signature': 'x', 'x-ignore-me': 'x', 'x-amz-checksum-sha256': 'x' };
    expect(refusal(policy, { bucket: 'b', ...free })).toBe('allowed');
    expect(refusal(policy, { bucket: 'b', 'x-amz-meta-a': 'x' })).toBe('AccessDenied');
  });

  it('allows nothing by a field without its sign', () => {
    expect(refusal(policyOf([['eq', 'key', 'a']]), { key: 'a' })).toBe('AccessDenied');
  });

  it('limits the size of the file', () => {
    expect(check(policyOf([['content-length-range', 1, '10']]), {})).toEqual({ min: 1, max: 10 });
    for (const range of [
      [-1, 5],
      [5, 1],
      ['a', 5],
      [0, 1.5],
      [0, 1e20],
      ['', 5],
      [0, { toString: 1 }],
      [[0], 5],
    ]) {
      expect(refusal(policyOf([['content-length-range', ...range]]))).toBe('InvalidPolicyDocument');
    }
  });

  it('expires at its own time, and must have one', () => {
    expect(refusal(policyOf([{ bucket: 'b' }], '2026-03-01T11:59:59Z'), { bucket: 'b' })).toBe(
      'AccessDenied',
    );
    for (const expiration of [null, 5, 'tomorrow', '2026-03-01T13:00:00']) {
      expect(refusal(policyOf([{ bucket: 'b' }], expiration))).toBe('InvalidPolicyDocument');
    }
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no conditions', '{"expiration":"2026-03-01T13:00:00Z"}'],
    [
      'something else beside them',
      JSON.stringify({ expiration: EXPIRATION, conditions: [{ a: 'b' }], extra: 1 }),
    ],
    ['no condition', JSON.stringify({ expiration: EXPIRATION, conditions: [] })],
    ['too many', JSON.stringify({ expiration: EXPIRATION, conditions: Array(101).fill({ bucket: 'b' }) })],
    [
      'a condition of two fields',
      JSON.stringify({ expiration: EXPIRATION, conditions: [{ a: 'b', c: 'd' }] }),
    ],
    ['an unknown operator', JSON.stringify({ expiration: EXPIRATION, conditions: [['like', '$key', 'a']] })],
    ['a value that is no text', JSON.stringify({ expiration: EXPIRATION, conditions: [{ key: 5 }] })],
  ])('is refused when it is %s', (_, text) => {
    expect(refusal(Buffer.from(text).toString('base64'))).toBe('InvalidPolicyDocument');
  });
});
