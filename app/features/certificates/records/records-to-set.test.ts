import { describe, expect, it } from 'vitest';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import { expectedRecords, recordsToSet, rightRecords } from './records-to-set.ts';

const base: DnsFact = {
  fact: 'traffic',
  status: 'missing',
  name: 'example.ca',
  type: 'CNAME',
  expected: ['a.edge.example.net'],
  found: [],
  problem: 'record_missing',
};

describe('the records to set', () => {
  it('are one record for a name below the domain', () => {
    const name = 'www.example.ca';
    expect(recordsToSet({ ...base, name })).toEqual({
      records: [{ name, type: 'CNAME', value: 'a.edge.example.net' }],
      addresses: [],
    });
  });

  it('are an alias for the domain itself, and addresses when there is no such type', () => {
    const expected = ['a.edge.example.net', '192.0.2.1', '2001:db8::1'];
    expect(recordsToSet({ ...base, type: 'ALIAS', expected, problem: 'apex_elsewhere' })).toEqual({
      records: [{ name: 'example.ca', type: 'ALIAS / ANAME', value: 'a.edge.example.net' }],
      addresses: [
        { name: 'example.ca', type: 'A', value: '192.0.2.1' },
        { name: 'example.ca', type: 'AAAA', value: '2001:db8::1' },
      ],
    });
  });

  it('are the first of several correct CAA records', () => {
    const expected = ['0 issue "ca.example"', '0 issue "other.example"'];
    const fact = { ...base, fact: 'caa', type: 'CAA', status: 'wrong', problem: 'caa_forbids' } as const;
    expect(recordsToSet({ ...fact, expected })).toEqual({
      records: [{ name: 'example.ca', type: 'CAA', value: '0 issue "ca.example"' }],
      addresses: [],
    });
  });

  it('are none for what is correct, and for problems that no record fixes', () => {
    expect(recordsToSet({ ...base, status: 'ok', problem: null })).toBeNull();
    expect(recordsToSet({ ...base, status: 'wrong', problem: 'stale_ipv6' })).toBeNull();
    expect(recordsToSet({ ...base, status: 'unknown', problem: 'resolver_timeout' })).toBeNull();
  });

  it('are shown behind a proxy too, and have types that DNS providers offer', () => {
    const fact = { ...base, type: 'ALIAS', status: 'wrong', problem: 'proxied' } as const;
    const expected = ['a.edge.example.net', '192.0.2.1', '2001:db8::1'];
    expect(recordsToSet({ ...fact, expected })?.addresses).toHaveLength(2);
    expect(expectedRecords({ ...fact, expected }).map(({ type }) => type)).toEqual([
      'ALIAS / ANAME',
      'A',
      'AAAA',
    ]);
    expect(rightRecords({ ...fact, expected, problem: 'stale_ipv6' })?.records).toHaveLength(1);
  });
});
