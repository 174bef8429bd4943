import { createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { freePort } from '../free-port.ts';
import { pollUntil } from '../poll-until.ts';

/** A message as received by the mail server. */
export interface ReceivedMail {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** Header fields by lower-case name, folded lines joined. */
  headers: Map<string, string>;
  text: string;
  html: string;
  raw: string;
}

export interface MailServer {
  /** For MAIL_URL. */
  url: string;
  port: number;
  received: ReceivedMail[];
  /**
   * Waits for the newest message to an address: once so many have come, or the newest with that beginning of
   * a subject. Messages that wait at the same time are sent in any order.
   */
  waitFor(recipient: string, which?: number | string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/**
 * Starts a real SMTP server on this machine: plain, open to everyone, and as unusual as `behaviour` makes it.
 */
export async function startMailServer(behaviour: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const port = await freePort();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString('latin1');
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...readMail(raw),
        });
        callback();
      });
    },
    ...behaviour,
  });
  // A disconnecting client does not concern the test.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    async waitFor(recipient, which = 1) {
      const isMine = ({ to, headers }: ReceivedMail) =>
        to.includes(recipient) &&
        (typeof which === 'number' || headers.get('subject')?.startsWith(which) === true);
      const mails = await pollUntil(
        async () => received.filter(isMine),
        (found) => found.length >= (typeof which === 'number' ? which : 1),
        800,
      );
      const last = mails.at(-1);
      if (!last) throw new Error(`no mail to ${recipient}`);
      return last;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The same, closed after the test. */
export async function openMailServer(behaviour: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(behaviour);
  onTestFinished(() => server.close());
  return server;
}

/**
 * Starts a server that accepts everything politely until the content of a message begins to arrive, and then
 * does what the test wants; with null it never responds. Returns the address for MAIL_URL.
 */
export async function openRudeMailServer(
  onContent: ((socket: Socket, content: string) => void) | null,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let isContent = false;
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (!onContent) return;
    socket.write('220 ready\r\n');
    socket.on('data', (chunk: Buffer) => {
      if (isContent) return onContent(socket, chunk.toString());
      isContent = chunk.toString().startsWith('DATA');
      socket.write(isContent ? '354 go on\r\n' : '250 yes\r\n');
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `smtp://127.0.0.1:${port}`;
}

/**
 * Returns the first of our own addresses in a text.
 * @throws when there is none
 */
export function linkIn(text: string): URL {
  const [link] = /https?:\/\/\S+\/identity\/\S+/.exec(text) ?? [];
  if (!link) throw new Error(`no link in: ${text}`);
  return new URL(link);
}

/** Parses our messages: a plain text and an HTML part. */
function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html' | 'raw'> {
  const { headers, body } = readPart(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = boundary
    ? body
        .split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => readPart(part.replace(/^\r\n/, '')))
    : [{ headers, body }];
  const textOf = (type: string) => {
    const part = parts.find((candidate) => candidate.headers.get('content-type')?.startsWith(type));
    return part ? decodeBody(part.body, part.headers.get('content-transfer-encoding') ?? '7bit') : '';
  };
  return { headers, text: textOf('text/plain'), html: textOf('text/html'), raw };
}

function readPart(raw: string): { headers: Map<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim()));
  }
  return { headers, body: raw.slice(end + 4) };
}

function decodeBody(body: string, encoding: string): string {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return decodeQuoted(body.replace(/=\r\n/g, '')).replace(/\r\n/g, '\n');
    default:
      return Buffer.from(body, 'latin1').toString('utf8').replace(/\r\n/g, '\n');
  }
}

/** RFC 2047 words of a header field. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuoted(text.replaceAll('_', ' ')),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
