import { createTransport } from 'nodemailer';
import type { Config } from '#server/config/config.ts';

/** One message as it goes over the wire. */
export interface MailToSend {
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  languages: readonly string[];
  at: number;
}

export interface MailTransport {
  /** Resolves once the server has taken the message. @throws the mail library's error */
  send(mail: MailToSend): Promise<void>;
  close(): void;
}

/** Connections at once. */
export const MAIL_CONNECTIONS_MAX = 3;

/** How long things may take: a server that hangs must not hold up the job, nor the stop of the process. */
export const MAIL_TIMEOUTS = {
  connectionMs: 10_000,
  greetingMs: 15_000,
  /** Of silence. */
  answerMs: 20_000,
  /** Of one message, from the connection to the server's word. */
  messageMs: 60_000,
};
export type MailTimeouts = typeof MAIL_TIMEOUTS;

/**
 * Returns a way to the mail server of MAIL_URL, with a few connections that are used again until it is closed.
 * `smtps:` is TLS from the start. `smtp:` goes over to TLS (STARTTLS) where the server offers it, and must when a password
 * is to be sent; only to this very machine it stays plain. Certificates are always checked.
 */
export function openMailTransport(
  config: Config,
  mail: { url: string; from: string },
  timeouts: MailTimeouts,
): MailTransport {
  const url = new URL(mail.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'smtps:';
  const isThisMachine = /^(localhost|.*\.localhost|127\.[\d.]+|::1)$/.test(host);
  const user = decode(url.username);
  const { hostname: ourName } = new URL(config.publicUrl);
  const transport = createTransport({
    pool: true,
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    ignoreTLS: !isSecure && isThisMachine,
    requireTLS: !isSecure && !isThisMachine && user !== '',
    tls: { minVersion: 'TLSv1.2' },
    ...(user === '' ? {} : { auth: { user, pass: decode(url.password) } }),
    name: ourName,
    maxConnections: MAIL_CONNECTIONS_MAX,
    // Trying again is ours alone: the library would hand a message over twice without telling.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
    dnsTimeout: timeouts.connectionMs,
    connectionTimeout: timeouts.connectionMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.answerMs,
    socketCloseTimeout: 1_000,
  });
  return {
    async send({ id, recipient, subject, text, html, languages, at }) {
      await transport.sendMail({
        from: mail.from,
        to: { name: '', address: recipient },
        subject,
        text,
        html,
        // The same for every attempt, so that a message that arrives twice is seen to be one.
        messageId: `<${id}@${ourName}>`,
        date: new Date(at),
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': languages.join(', ') },
        signal: AbortSignal.timeout(timeouts.messageMs),
      });
    },
    close: () => transport.close({ force: true }),
  };
}

/** A user name or password as it was before it was written into an address. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
