import { createSocket } from 'node:dgram';
import { encode } from 'dns-packet';
import type { SeededRandom } from '#tests/support/seeded-random.ts';
import { attackerAddress, type FuzzAttack } from '../fuzz-attack.ts';
import { happens, nonsenseToken, pick } from '../nonsense.ts';
import { exchangeRaw, type Step } from './raw-exchange.ts';

const SENT = 20;

/** Messages that are nearly DNS, by datagram and by connection. */
export const names: FuzzAttack = {
  name: 'names',
  async round(target, random) {
    const { dnsPort } = target.server;
    const messages = Array.from({ length: SENT }, () => message(random));
    if (happens(random, 60)) return sendDatagrams(dnsPort, messages);
    const steps: Step[] = messages.map((bytes) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(happens(random, 90) ? bytes.length : random.below(65_536));
      return { send: Buffer.concat([length, bytes]) };
    });
    await exchangeRaw({ port: dnsPort }, steps, attackerAddress(random));
  },
};

function message(random: SeededRandom): Buffer {
  const label = nonsenseToken(random, 60).replace(/\./g, '') || 'a';
  const name = `${label}.${pick(random, ['acme.localhost', 'edge.localhost', 'localhost', 'example.ca'])}`;
  const question = encode({
    type: 'query',
    id: random.below(65_536),
    questions: [{ type: pick(random, ['TXT', 'A', 'AAAA', 'SOA', 'NS', 'HINFO', 'CAA']), name }],
  });
  const damaged = Buffer.from(question);
  for (let count = random.below(6); count > 0; count -= 1) {
    damaged[random.below(damaged.length)] = pick(random, [0, 0xc0, 0xff, random.below(256)]);
  }
  return happens(random, 90) ? damaged : random.bytes(random.below(600));
}

async function sendDatagrams(port: number, messages: readonly Buffer[]): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  for (const bytes of messages) {
    await new Promise<void>((resolve) => socket.send(bytes, port, '127.0.0.1', () => resolve()));
  }
  socket.close();
}
