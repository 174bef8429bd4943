import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listSources } from './imports.ts';

const ROOT = process.cwd();
/** Code that reaches something outside this process. */
const WAY_OUT =
  /(?<![.\w])fetch\((?!request: )|(?<![.\w])connect\(\{|\bcreateTransport\(|\bnew (Resolver|S3Client|Stripe|Agent|pg\.(Pool|Client))\(|(?<![.\w])https?Request\(/;

interface WayOut {
  /** What in the file ends a call without a response. */
  end: RegExp;
  /** What keeps later calls from waiting in vain, or the reason why nothing needs to. */
  circuit: RegExp | string;
}

const WAYS_OUT: Record<string, WayOut> = {
  'db/dialects/postgres.ts': {
    end: /connectionTimeoutMillis[\s\S]*query_timeout|query_timeout[\s\S]*connectionTimeoutMillis/,
    circuit: /new ServerPulse\(/,
  },
  'server/auth/issuer-configuration.ts': { end: /timeout: TIMEOUT_SECONDS/, circuit: /circuit\.run\(/ },
  'server/auth/upstream/read-json.ts': {
    end: /AbortSignal\.timeout\(TIMEOUT_MS\)/,
    circuit: /circuit\.run\(/,
  },
  'server/certificate-authority/acme-transport.ts': {
    end: /AbortSignal\.timeout\([^)]*REQUEST_MS_MAX\)/,
    circuit: /\.run\(/,
  },
  'server/dns-client/create-dns-lookup.ts': {
    end: /timeout: timeoutMs, tries/,
    circuit: 'a resolver may be silent about one name only, which must not stop the lookups of others',
  },
  'server/dns-update/exchange-message.ts': {
    end: /setTimeout\(\(\) => end\(/,
    circuit: 'its caller has it: server/dns-update/create-dns-updates.ts',
  },
  'server/health/reach-services.ts': {
    end: /setTimeout\(\(\) => end\([\s\S]*WITHIN_MS\)/,
    circuit: 'it asks in order to know whether it answers; one answer is kept for all who want to know',
  },
  'server/identity-tokens/check-identity-token.ts': {
    end: /AbortSignal\.timeout\(TIMEOUT_MS\)/,
    circuit:
      'keys are kept; an issuer that is away must not stop the tokens of others, and each token asks once',
  },
  'server/payments/bounded-fetch.ts': {
    end: /fetch\(input, \{ \.\.\.init/,
    circuit: 'the SDK calls it, with the signal of its time limit: server/payments/stripe-provider.ts',
  },
  'server/payments/stripe-provider.ts': {
    end: /timeout: TIMEOUT_MS/,
    circuit: /createStripeCall\(circuit\)/,
  },
  'server/services/mail/open-mail-transport.ts': {
    end: /AbortSignal\.timeout\(timeouts\.messageMs\)/,
    circuit: 'the first message that fails ends the run, and the others wait for the next one',
  },
  'server/webhook-client/post-message.ts': {
    end: /ending\.abort\(\);\s*\}, TIMEOUT_MS\)/,
    circuit: 'each webhook has an address of its own; one that is away waits longer after each attempt',
  },
  'server/store/s3/s3-store.ts': {
    end: /connectionTimeout: connectMs[\s\S]*socketTimeout: silenceMs[\s\S]*AbortSignal\.timeout\(/,
    circuit: /circuit\.run\(/,
  },
};

const sources = ['server', 'db'].flatMap((folder) => listSources(ROOT, folder));
const textOf = (file: string) =>
  readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(\*|\/\/|\/\*).*$/gm, '');

it('every call to something outside is listed with what ends it when there is no response', () => {
  const found = sources.filter((file) => !file.includes('.test.') && WAY_OUT.test(textOf(file)));
  expect(found.sort()).toEqual(Object.keys(WAYS_OUT).sort());
});

it.each(Object.entries(WAYS_OUT))('%s has an end and a circuit', (file, { end, circuit }) => {
  const text = textOf(file);
  expect(text).toMatch(end);
  if (typeof circuit === 'string') expect(circuit.length).toBeGreaterThan(20);
  else expect(text).toMatch(circuit);
});

it('the payment provider is called behind a circuit', () => {
  expect(textOf('server/payments/stripe-call.ts')).toMatch(/circuit\.run\(/);
});

it('the operator’s name server is called behind a circuit', () => {
  expect(textOf('server/dns-update/create-dns-updates.ts')).toMatch(/circuit\.run\(/);
});
