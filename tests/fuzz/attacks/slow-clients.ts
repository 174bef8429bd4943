import { attackerAddress, type FuzzAttack } from '../fuzz-attack.ts';
import { pick } from '../nonsense.ts';
import { exchangeRaw, type Step, type TargetListener } from './raw-exchange.ts';

const CLIENTS = 12;

/** Many clients that send a byte now and then, or accept nothing of their response. */
export const slowClients: FuzzAttack = {
  name: 'slow-clients',
  async round(target, random) {
    const { server, httpsPort, host, largePath } = target;
    const listeners: TargetListener[] = [
      { port: server.edgePort },
      { port: httpsPort, secure: { host, protocol: 'http/1.1' } },
      { port: server.consolePort },
      { port: server.dnsPort },
    ];
    await Promise.all(
      Array.from({ length: CLIENTS }, () => {
        const listener = pick(random, listeners);
        const head = pick(random, [
          `GET ${largePath} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
          `POST /api/v1/sites HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
          `POST /api/trpc/user.me HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`,
          `GET / HTTP/1.1\r\nHost: ${host}\r\nX-`,
        ]);
        const drips: Step[] = Array.from({ length: 8 }, () => [
          { send: Buffer.from('a') },
          { waitMs: 100 + random.below(200) },
        ]).flat();
        const steps: Step[] = [{ send: Buffer.from(head) }, { stopReading: true }, ...drips];
        return exchangeRaw(listener, steps, attackerAddress(random));
      }),
    );
  },
};
