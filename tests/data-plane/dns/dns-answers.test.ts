import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dig, digShort } from '#tests/support/dns/dig.ts';
import { type NameServer, startNameServer } from '#tests/support/dns/name-server.ts';

const ACME_SOA = 'ns1.acme.example.ca. hostmaster.acme.example.ca. SERIAL 3600 600 604800 0';
const EDGE_SOA = 'ns1.acme.example.ca. hostmaster.edge.example.ca. SERIAL 3600 600 604800 300';
const NO_ACME = `AUTHORITY\nacme.example.ca. 0 IN SOA ${ACME_SOA}`;
const NO_EDGE = `AUTHORITY\nedge.example.ca. 300 IN SOA ${EDGE_SOA}`;
const HEAD = 'flags qr aa rd\nedns 0 1232';

describe('the name server, queried by dig', () => {
  let server: NameServer;
  const ask = (...question: string[]) => dig(server.port, ...question);

  beforeAll(async () => {
    server = await startNameServer();
    server.texts.set('abc', ['first', 'second', 'third']);
    server.texts.set('quiet', []);
  });
  afterAll(() => server.close());

  it('returns every value of a challenge, never cached', async () => {
    expect(await ask('abc.acme.example.ca', 'TXT')).toBe(
      `NOERROR\n${HEAD}\nANSWER\n${['first', 'second', 'third']
        .map((text) => `abc.acme.example.ca. 0 IN TXT "${text}"`)
        .join('\n')}`,
    );
  });

  it('returns a new value to the next query, and a removed one no more', async () => {
    server.texts.set('changing', ['old']);
    expect(await digShort(server.port, 'changing.acme.example.ca', 'TXT')).toEqual(['"old"']);
    server.texts.set('changing', ['new']);
    expect(await digShort(server.port, 'changing.acme.example.ca', 'TXT')).toEqual(['"new"']);
    server.texts.delete('changing');
    expect(await ask('changing.acme.example.ca', 'TXT')).toBe(`NXDOMAIN\n${HEAD}\n${NO_ACME}`);
  });

  it('distinguishes a challenge without values from one that does not exist', async () => {
    expect(await ask('quiet.acme.example.ca', 'TXT')).toBe(`NOERROR\n${HEAD}\n${NO_ACME}`);
    expect(await ask('abc.acme.example.ca', 'A')).toBe(`NOERROR\n${HEAD}\n${NO_ACME}`);
    expect(await ask('nobody.acme.example.ca', 'A')).toBe(`NXDOMAIN\n${HEAD}\n${NO_ACME}`);
    expect(await ask('x.abc.acme.example.ca', 'TXT')).toBe(`NXDOMAIN\n${HEAD}\n${NO_ACME}`);
  });

  it('finds a name in any spelling and responds in the same', async () => {
    expect(await ask('aBC.AcMe.exAMple.CA', 'TXT')).toContain('aBC.AcMe.exAMple.CA. 0 IN TXT "first"');
    expect(await ask('X.Edge.exAMple.CA', 'AAAA')).toContain('X.Edge.exAMple.CA. 300 IN AAAA 2001:db8::1');
  });

  it('returns the addresses of the edge at any label below the zone of targets', async () => {
    expect(await ask('k3j2.edge.example.ca', 'A')).toBe(
      `NOERROR\n${HEAD}\nANSWER\nk3j2.edge.example.ca. 300 IN A 192.0.2.1\nk3j2.edge.example.ca. 300 IN A 192.0.2.2`,
    );
    for (const type of ['TXT', 'CNAME', 'CAA', 'HTTPS', 'MX', 'DS', 'TYPE4711']) {
      expect(await ask('k3j2.edge.example.ca', type)).toBe(`NOERROR\n${HEAD}\n${NO_EDGE}`);
    }
    expect(await ask('_acme-challenge.k3j2.edge.example.ca', 'TXT')).toBe(`NXDOMAIN\n${HEAD}\n${NO_EDGE}`);
  });

  it('describes its zones, with the addresses of the name servers inside', async () => {
    expect(await ask('acme.example.ca', 'SOA')).toBe(
      `NOERROR\n${HEAD}\nANSWER\nacme.example.ca. 3600 IN SOA ${ACME_SOA}`,
    );
    expect(await ask('acme.example.ca', 'NS')).toBe(
      [
        `NOERROR\n${HEAD}\nANSWER`,
        'acme.example.ca. 3600 IN NS ns1.acme.example.ca.',
        'acme.example.ca. 3600 IN NS ns2.example.net.',
        'ADDITIONAL',
        'ns1.acme.example.ca. 300 IN A 192.0.2.1',
        'ns1.acme.example.ca. 300 IN A 192.0.2.2',
        'ns1.acme.example.ca. 300 IN AAAA 2001:db8::1',
      ].join('\n'),
    );
    expect(await digShort(server.port, 'ns1.acme.example.ca', 'A')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await ask('acme.example.ca', 'A')).toBe(`NOERROR\n${HEAD}\n${NO_ACME}`);
    expect(await ask('edge.example.ca', 'A')).toBe(`NOERROR\n${HEAD}\n${NO_EDGE}`);
  });

  it('refuses everything else: other zones, other classes, transfers', async () => {
    const refused = 'REFUSED\nflags qr rd\nedns 0 1232';
    for (const name of ['example.com', 'example.ca', 'ca', '.', 'notacme.example.ca', 'xacme.example.ca']) {
      expect(await ask(name, 'A')).toBe(refused);
    }
    expect(await ask('version.bind', 'CH', 'TXT')).toBe(refused);
    expect(await ask('acme.example.ca', 'AXFR')).toBe('Transfer failed.');
  });

  it('responds to ANY with one small record, according to RFC 8482', async () => {
    expect(await ask('abc.acme.example.ca', 'ANY', '+notcp')).toBe(
      `NOERROR\n${HEAD}\nANSWER\nabc.acme.example.ca. 0 IN HINFO "RFC8482" ""`,
    );
    expect(await ask('nobody.acme.example.ca', 'ANY', '+notcp')).toBe(`NXDOMAIN\n${HEAD}\n${NO_ACME}`);
  });

  it('supports EDNS, in its own version', async () => {
    expect(await ask('quiet.acme.example.ca', 'TXT', '+noedns')).toBe(`NOERROR\nflags qr aa rd\n${NO_ACME}`);
    expect(await ask('quiet.acme.example.ca', 'TXT', '+edns=1', '+noednsnegotiation')).toBe(
      'BADVERS\nflags qr rd\nedns 0 1232',
    );
    expect(await ask('quiet.acme.example.ca', 'TXT', '+dnssec', '+norecurse')).toBe(
      `NOERROR\nflags qr aa\nedns 0 do 1232\n${NO_ACME}`,
    );
    for (const option of [
      '+subnet=192.0.2.0/24',
      '+nsid',
      '+ednsopt=65001:c0ffee',
      '+padding=128',
      '+cookie',
    ]) {
      expect(await ask('quiet.acme.example.ca', 'TXT', option)).toContain('NOERROR\nflags qr aa rd');
    }
  });

  it('only answers queries: NOTIMP for other operations, FORMERR for other shapes', async () => {
    for (const opcode of ['iquery', 'status', 'notify', 'update']) {
      expect(await ask('+noedns', `+opcode=${opcode}`, 'acme.example.ca')).toMatch(/^NOTIMP\n/);
    }
    expect(await ask('+header-only')).toMatch(/^FORMERR\n/);
    expect(await ask('acme.example.ca', 'OPT')).toMatch(/^FORMERR\n/);
  });

  it('reports a failure, and never that there is nothing, while the database is down', async () => {
    server.isDown = true;
    try {
      for (const name of ['abc.acme.example.ca', 'nobody.acme.example.ca']) {
        expect(await ask(name, 'TXT')).toBe('SERVFAIL\nflags qr rd\nedns 0 1232');
      }
      expect(await digShort(server.port, 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
    } finally {
      server.isDown = false;
    }
    expect(server.log).toEqual(['a DNS question could not be answered from the database']);
    expect(await digShort(server.port, 'abc.acme.example.ca', 'TXT')).toEqual([
      '"first"',
      '"second"',
      '"third"',
    ]);
  });

  it('queries the database for possible labels only', async () => {
    server.asked.length = 0;
    for (const label of ['_dmarc', 'a\\.b', '\\000', 'é', 'a b'])
      await ask(`${label}.acme.example.ca`, 'TXT');
    expect(server.asked).toEqual([]);
  });
});

describe('overlapping zones', () => {
  it('answer as one zone when both names are the same', async () => {
    const server = await startNameServer({
      challengeZone: 'both.example.ca',
      addressZone: 'both.example.ca',
      nameServers: [],
    });
    try {
      server.texts.set('abc', ['value']);
      expect(await digShort(server.port, 'abc.both.example.ca', 'TXT')).toEqual(['"value"']);
      expect(await digShort(server.port, 'abc.both.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
      expect(await dig(server.port, 'other.both.example.ca', 'TXT')).toMatch(/^NOERROR\n.*\n.*\nAUTHORITY/);
      expect(await digShort(server.port, 'both.example.ca', 'NS')).toEqual(['ns.both.example.ca.']);
    } finally {
      await server.close();
    }
  });

  it('answer from the nearest one when one is below the other, except for what a parent says about its child', async () => {
    const server = await startNameServer({
      challengeZone: 'acme.edge.example.ca',
      nameServers: ['a.b.acme.edge.example.ca'],
    });
    try {
      server.texts.set('abc', ['value']);
      expect(await digShort(server.port, 'abc.acme.edge.example.ca', 'TXT')).toEqual(['"value"']);
      expect(await dig(server.port, 'nobody.acme.edge.example.ca', 'A')).toContain(
        '\nacme.edge.example.ca. 0 IN SOA',
      );
      expect(await dig(server.port, 'acme.edge.example.ca', 'DS')).toContain('\nedge.example.ca. 300 IN SOA');
      // There is nothing at b itself, but at a name below it.
      expect(await dig(server.port, 'b.acme.edge.example.ca', 'A')).toMatch(/^NOERROR\n/);
      expect(await digShort(server.port, 'a.b.acme.edge.example.ca', 'A')).toEqual([
        '192.0.2.1',
        '192.0.2.2',
      ]);
    } finally {
      await server.close();
    }
  });
});
