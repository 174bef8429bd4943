import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addressKey } from '#server/limits/rate-limits.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';

const HERE = '192.0.2.7';

describe('a password', () => {
  it('is stored as argon2id with 19 MiB, two passes and its own salt', async () => {
    const [first, second] = await Promise.all([
      hashPassword('correct horse', HERE),
      hashPassword('correct horse', HERE),
    ]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(first).not.toBe(second);
  });

  it('opens with itself and with nothing else', async () => {
    const stored = await hashPassword('correct horse', HERE);
    expect(await verifyPassword('correct horse', stored, HERE)).toBe(true);
    expect(await verifyPassword('Correct horse', stored, HERE)).toBe(false);
    expect(await verifyPassword('', stored, HERE)).toBe(false);
  });

  it('is the same however its letters are composed', async () => {
    const stored = await hashPassword('caf\u00e9 au lait', HERE);
    expect(await verifyPassword('cafe\u0301 au lait', stored, HERE)).toBe(true);
  });

  it('of an older setting still opens', async () => {
    const nonce = Buffer.from('0123456789abcdef');
    const tag = argon2Sync('argon2id', {
      message: 'correct horse',
      nonce,
      memory: 8192,
      passes: 3,
      parallelism: 1,
      tagLength: 32,
    });
    const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const stored = `$argon2id$v=19$m=8192,t=3,p=1$${unpadded(nonce)}$${unpadded(tag)}`;
    expect(await verifyPassword('correct horse', stored, HERE)).toBe(true);
    expect(await verifyPassword('wrong horse', stored, HERE)).toBe(false);
  });

  it('of an unknown account never opens', async () => {
    expect(await verifyPassword('correct horse', null, HERE)).toBe(false);
    expect(await verifyPassword('correct horse', 'not a hash', HERE)).toBe(false);
  });

  it('checked by many at once is answered for each', async () => {
    const stored = await hashPassword('correct horse', HERE);
    const guesses = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0 ? 'correct horse' : `guess ${index}`,
    );
    const responses = await Promise.all(guesses.map((guess) => verifyPassword(guess, stored, HERE)));
    expect(responses).toEqual(guesses.map((guess) => guess === 'correct horse'));
  });

  it('is checked for others while one IPv6 network requests many, each from another address', async () => {
    const flood = Array.from({ length: 20 }, (_, at) =>
      verifyPassword('x', null, addressKey(`2001:db8:1:${at.toString(16)}::7`)),
    );
    const other = verifyPassword('x', null, addressKey('2001:db8:2::7'));
    const left: string[] = [];
    void Promise.allSettled(flood).then(() => left.push('flood'));
    await other.then(() => left.push('other'));
    await Promise.allSettled(flood);
    expect(left).toEqual(['other', 'flood']);
  });

  it('is checked for others while one address requests more than can wait, some of which are refused for a while', async () => {
    const flood = Array.from({ length: 110 }, () => verifyPassword('x', null, HERE));
    const others = ['192.0.2.8', '192.0.2.9'].map((address) => verifyPassword('x', null, address));
    const left: string[] = [];
    void Promise.allSettled(flood).then(() => left.push('flood'));
    await Promise.all(others).then(() => left.push('others'));
    const results = await Promise.allSettled(flood);
    expect(left).toEqual(['others', 'flood']);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(10);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'too_many_requests' });
    expect(await verifyPassword('x', null, HERE)).toBe(false);
  });
});
