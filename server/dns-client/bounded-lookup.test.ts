import { describe, expect, it } from 'vitest';
import { FakeLookup } from '#tests/support/dns/fake-lookup.ts';
import { withBoundedLookup } from './bounded-lookup.ts';

describe('withBoundedLookup', () => {
  it('asks each question once, and different ones separately', async () => {
    const dns = new FakeLookup();
    dns.set('a.example', { ipv4: ['192.0.2.1'], ipv6: ['2001:db8::1'] });
    const asked: string[] = [];
    const { ipv4 } = dns;
    dns.ipv4 = (name) => {
      asked.push(name);
      return ipv4(name);
    };
    const answers = await withBoundedLookup(dns, 10_000, (bounded) =>
      Promise.all([
        bounded.ipv4('a.example'),
        bounded.ipv4('a.example'),
        bounded.ipv4('b.example'),
        bounded.ipv6('a.example'),
      ]),
    );
    expect(asked).toEqual(['a.example', 'b.example']);
    expect(answers).toEqual([
      { kind: 'found', records: ['192.0.2.1'] },
      { kind: 'found', records: ['192.0.2.1'] },
      { kind: 'unknown_name' },
      { kind: 'found', records: ['2001:db8::1'] },
    ]);
  });

  it('ends questions that get no answer, and tells everything else that waits', async () => {
    const dns = new FakeLookup();
    dns.txt = () => new Promise(() => undefined);
    const ended = await withBoundedLookup(dns, 5, async (bounded, end) => [
      await bounded.txt('a.example'),
      await end,
      await bounded.txt('b.example'),
    ]);
    expect(ended).toEqual([{ kind: 'timeout' }, { kind: 'timeout' }, { kind: 'timeout' }]);
  });

  it('turns an exception into a failed lookup', async () => {
    const dns = new FakeLookup();
    dns.soa = () => Promise.reject(new Error('broken'));
    expect(await withBoundedLookup(dns, 1000, (bounded) => bounded.soa('a.example'))).toEqual({
      kind: 'failed',
    });
  });
});
