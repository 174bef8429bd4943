import { describe, expect, it } from 'vitest';
import { toAcmeProblem } from './acme-problem.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const URN = 'urn:ietf:params:acme:error:';

function answer(status: number, document: object | string, retryAfter?: string) {
  const body = typeof document === 'string' ? document : JSON.stringify(document);
  return toAcmeProblem({ status, body, retryAfter }, NOW);
}

describe('what a refusal of an ACME server means', () => {
  it('recognizes a limit, and until when it lasts', () => {
    const problem = answer(429, { type: `${URN}rateLimited`, detail: 'too many certificates' }, '3600');
    expect(problem).toMatchObject({
      kind: 'limited',
      retryAt: NOW + 3_600_000,
      message: 'too many certificates',
    });
    expect(answer(429, '<html>').kind).toBe('limited');
    expect(answer(400, { type: `${URN}rateLimited` }).kind).toBe('limited');
  });

  it('treats a busy service that says when to come back as a limit, and one that does not as an outage', () => {
    expect(answer(503, '', '120')).toMatchObject({ kind: 'limited', retryAt: NOW + 120_000 });
    expect(answer(503, '')).toMatchObject({ kind: 'unavailable', retryAt: null });
  });

  it('treats failures of the server, and of whatever is in front of it, as an outage', () => {
    expect(answer(500, { type: `${URN}serverInternal`, detail: 'oops' }).kind).toBe('unavailable');
    expect(answer(403, '<h1>Blocked by a firewall</h1>').kind).toBe('unavailable');
    expect(answer(302, '')).toMatchObject({
      kind: 'unavailable',
      message: 'The authority answered with status 302.',
    });
  });

  it('finds a CAA record that forbids issuance, also among several reasons', () => {
    expect(answer(403, { type: `${URN}caa`, detail: 'CAA for a.test' }).kind).toBe('caa');
    const several = answer(403, {
      type: `${URN}compound`,
      detail: 'Several errors.',
      subproblems: [
        { type: `${URN}caa`, detail: 'forbidden', identifier: { type: 'dns', value: 'a.test' } },
        { type: `${URN}dns`, detail: 'no answer', identifier: { type: 'dns', value: 'b.test' } },
      ],
    });
    expect(several).toMatchObject({
      kind: 'caa',
      message: 'Several errors. a.test: forbidden b.test: no answer',
    });
  });

  it('refuses anything else, with the server’s message on one line of limited length', () => {
    const problem = answer(400, {
      type: `${URN}rejectedIdentifier`,
      detail: `no\u0000\r\n\u001b[31mway\u202e ${'x'.repeat(2000)}`,
    });
    expect(problem).toMatchObject({ kind: 'refused', type: 'rejectedIdentifier', status: 400 });
    expect(problem.message.startsWith('no [31mway xxx')).toBe(true);
    expect(problem.message).toHaveLength(500);
  });

  it('reads documents of any form without failing', () => {
    for (const odd of [
      'null',
      '[]',
      '{"type":7,"detail":{}}',
      '{"subproblems":[null,{"identifier":4}]}',
      '{',
    ]) {
      expect(answer(400, odd)).toMatchObject({ kind: 'unavailable', type: null });
    }
  });
});
