import { describe, expect, it } from 'vitest';
import type { DnsFact, DnsReport } from '#server/services/certificates/schema.ts';
import { factsToShow } from './facts-to-show.ts';

const endpoint = {
  hostname: 'www.example.ca',
  cname_target: 'a.edge.example.net',
};
const bundle = {
  challenge_name: '_acme-challenge.www.example.ca',
  challenge_target: 'b.acme.example.net',
};

function report(facts: DnsFact['fact'][]): DnsReport {
  const rest = { status: 'ok', name: 'www.example.ca', type: 'CNAME', expected: [], found: [] } as const;
  return {
    checked_at: '2026-11-21T08:00:00.000Z',
    hostname: 'www.example.ca',
    is_apex: false,
    is_reached: true,
    is_delegated: true,
    is_proven: true,
    can_issue: true,
    is_safe_to_switch: false,
    facts: facts.map((fact) => ({ ...rest, fact, expected: [], found: [], problem: null })),
  };
}

describe('the facts of the checklist', () => {
  it('are those known without an inspection until the first report arrives', () => {
    expect(factsToShow(endpoint, bundle, undefined)).toMatchObject([
      { fact: 'challenge', status: 'checking', expected: ['b.acme.example.net'] },
      { fact: 'traffic', status: 'checking', name: 'www.example.ca', expected: ['a.edge.example.net'] },
    ]);
  });

  it('are those of the report, the proof first', () => {
    const shown = factsToShow(endpoint, bundle, report(['traffic', 'challenge', 'caa']));
    expect(shown.map(({ fact }) => fact)).toEqual(['challenge', 'traffic', 'caa']);
  });
});
