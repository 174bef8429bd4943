import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type CaaData, decode, encode } from 'dns-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { startZoneServer } from '#tests/support/dns/zone-server.ts';
import { createDnsLookup } from './create-dns-lookup.ts';
import type { DnsLookup } from './dns-lookup.ts';

const TYPES = ['cname', 'ipv4', 'ipv6', 'txt', 'caa', 'soa'] as const;
const IMPATIENT = { timeoutMs: 100, tries: 1 };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function startServer() {
  const server = await startZoneServer();
  cleanups.push(() => server.close());
  return { server, lookup: createDnsLookup([server.address]) };
}

/**
 * Starts a name server on one address that answers every question with bytes made from it; null means no
 * answer.
 */
async function startOddServer(answer: (question: Buffer) => Buffer | null, address = '127.0.0.1') {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (question, peer) => {
    const bytes = answer(question);
    if (bytes) socket.send(bytes, peer.port, peer.address);
  });
  socket.bind(0, address);
  await once(socket, 'listening');
  cleanups.push(async () => {
    socket.close();
  });
  const { port } = socket.address();
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** An answer with this response code and no records. */
function withCode(code: number) {
  return (question: Buffer) => {
    const { id, questions } = decode(question);
    return encode({ type: 'response', id, flags: code, questions, answers: [] });
  };
}

function askAll(lookup: DnsLookup, name: string) {
  return Promise.all(TYPES.map(async (type) => (await lookup[type](name)).kind));
}

describe('createDnsLookup', () => {
  it('finds every kind of record, names in lower case without a final dot', async () => {
    const { server, lookup } = await startServer();
    const long = 'x'.repeat(600);
    server.set('www.example.ca', { cname: 'Target.Example.NET' });
    server.set('target.example.net', {
      ipv4: ['192.0.2.1', '192.0.2.2'],
      ipv6: ['2001:db8::1'],
      txt: ['one', long],
      caa: [
        { isCritical: false, tag: 'issue', value: 'ca.example; a=b' },
        { isCritical: true, tag: 'Future', value: 'x' },
      ],
    });
    server.set('example.ca', { soa: 'NS1.example.ca' });
    expect(await lookup.cname('www.example.ca')).toEqual({ kind: 'found', records: ['target.example.net'] });
    expect(await lookup.ipv4('www.example.ca')).toEqual({
      kind: 'found',
      records: ['192.0.2.1', '192.0.2.2'],
    });
    expect(await lookup.ipv6('www.example.ca')).toEqual({ kind: 'found', records: ['2001:db8::1'] });
    expect(await lookup.txt('www.example.ca')).toEqual({ kind: 'found', records: ['one', long] });
    expect(await lookup.caa('www.example.ca')).toEqual({
      kind: 'found',
      records: [
        { isCritical: false, tag: 'issue', value: 'ca.example; a=b' },
        { isCritical: true, tag: 'future', value: 'x' },
      ],
    });
    expect(await lookup.soa('example.ca')).toEqual({
      kind: 'found',
      records: [{ primary: 'ns1.example.ca' }],
    });
  });

  it('distinguishes a missing record, a missing name, a failure and silence, for every kind', async () => {
    const { server } = await startServer();
    const lookup = createDnsLookup([server.address], IMPATIENT);
    server.set('empty.example.ca', {});
    server.set('failed.example.ca', { failure: 'failed' });
    server.set('silent.example.ca', { failure: 'timeout' });
    server.set('dangling.example.ca', { cname: 'gone.example.net' });
    expect(await askAll(lookup, 'empty.example.ca')).toEqual(TYPES.map(() => 'missing'));
    expect(await askAll(lookup, 'gone.example.ca')).toEqual(TYPES.map(() => 'unknown_name'));
    expect(await askAll(lookup, 'failed.example.ca')).toEqual(TYPES.map(() => 'failed'));
    expect(await askAll(lookup, 'silent.example.ca')).toEqual(TYPES.map(() => 'timeout'));
    expect(await askAll(lookup, 'dangling.example.ca')).toEqual([
      'found',
      ...TYPES.slice(1).map(() => 'unknown_name'),
    ]);
  });

  it.each([
    ['FORMERR', withCode(1), 'failed'],
    ['SERVFAIL', withCode(2), 'failed'],
    ['NXDOMAIN', withCode(3), 'unknown_name'],
    ['NOTIMP', withCode(4), 'failed'],
    ['REFUSED', withCode(5), 'failed'],
    [
      'garbage',
      (question: Buffer) => Buffer.concat([question.subarray(0, 2), Buffer.from('ffff', 'hex')]),
      'failed',
    ],
    ['silence', () => null, 'timeout'],
  ] as const)('reads %s', async (_, answer, kind) => {
    const address = await startOddServer(answer);
    expect(await askAll(createDnsLookup([address], IMPATIENT), 'www.example.ca')).toEqual(
      TYPES.map(() => kind),
    );
  });

  it('treats a server that is not there as one that does not answer, and asks the next', async () => {
    const { server } = await startServer();
    server.set('www.example.ca', { ipv4: ['192.0.2.1'] });
    expect((await createDnsLookup(['127.0.0.1:9'], IMPATIENT).ipv4('www.example.ca')).kind).toBe('timeout');
    const patient = createDnsLookup(['127.0.0.1:9', server.address]);
    expect((await patient.ipv4('www.example.ca')).kind).toBe('found');
  });

  it('asks servers over IPv6 too, with their own port', async () => {
    const address = await startOddServer(withCode(3), '::1');
    expect((await createDnsLookup([address], IMPATIENT).ipv4('www.example.ca')).kind).toBe('unknown_name');
  });

  it('caches nothing', async () => {
    const { server, lookup } = await startServer();
    const seen = [];
    for (const address of ['192.0.2.1', '192.0.2.2', null]) {
      server.set('www.example.ca', address === null ? {} : { ipv4: [address] });
      seen.push(await lookup.ipv4('www.example.ca'));
    }
    expect(seen).toEqual([
      { kind: 'found', records: ['192.0.2.1'] },
      { kind: 'found', records: ['192.0.2.2'] },
      { kind: 'missing' },
    ]);
  });

  it('does not query for what cannot be a name', async () => {
    const { server, lookup } = await startServer();
    const names = [
      '',
      '.',
      'a..ca',
      '.example.ca',
      'example.ca.',
      `${'x'.repeat(64)}.ca`,
      `${'a.'.repeat(127)}ca`,
      'two words.ca',
      'zero\0byte.ca',
      'escaped\\.dot.ca',
      'née.ca',
    ];
    for (const name of names) expect(await askAll(lookup, name)).toEqual(TYPES.map(() => 'unknown_name'));
    expect(server.asked).toEqual([]);
    server.set(`_acme-challenge.${'a.'.repeat(100)}ca`, { txt: ['x'] });
    expect((await lookup.txt(`_acme-challenge.${'a.'.repeat(100)}ca`)).kind).toBe('found');
  });

  it('reads unusual data literally: bytes in names escaped, CAA tags that collide with node’s property names', async () => {
    const flags = 0x8180;
    const address = await startOddServer((question) => {
      const { id, questions = [] } = decode(question);
      const [{ type, name } = { type: 'A', name: '' } as const] = questions;
      const caa = (tag: string, issuerCritical: boolean) => ({
        type: 'CAA' as const,
        name,
        data: { tag: tag as CaaData['tag'], value: 'x', issuerCritical },
      });
      const answers =
        type === 'CNAME'
          ? [{ type, name, data: 'wéird\u0001 NAME.example' }]
          : [caa('type', false), caa('critical', true), caa('__proto__', true)];
      return encode({ type: 'response', id, flags, questions, answers });
    });
    const lookup = createDnsLookup([address], IMPATIENT);
    expect(await lookup.cname('www.example.ca')).toEqual({
      kind: 'found',
      records: ['w\\195\\169ird\\001 name.example'],
    });
    const caa = await lookup.caa('www.example.ca');
    expect(caa.kind === 'found' && caa.records.map(({ isCritical }) => isCritical)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('answers a hundred questions at once', async () => {
    const { server, lookup } = await startServer();
    const names = Array.from({ length: 100 }, (_, index) => `host${index}.example.ca`);
    for (const [index, name] of names.entries()) server.set(name, { ipv4: [`192.0.2.${index}`] });
    const answers = await Promise.all(names.map((name) => lookup.ipv4(name)));
    expect(answers).toEqual(names.map((_, index) => ({ kind: 'found', records: [`192.0.2.${index}`] })));
  });
});
