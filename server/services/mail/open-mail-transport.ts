import type { Config } from '#server/config/config.ts';

/** One message as it is sent. */
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
  /** Resolves once the server has accepted the message. @throws the mail library's error */
  send(mail: MailToSend): Promise<void>;
  close(): void;
}

/** Concurrent connections. */
export const MAIL_CONNECTIONS_MAX = 3;

/** Timeouts: a server that hangs must not delay the job, nor the stop of the process. */
export const MAIL_TIMEOUTS = {
  connectionMs: 10_000,
  greetingMs: 15_000,
  /** Of silence. */
  answerMs: 20_000,
  /** For one message, from the connection to the server's reply. */
  messageMs: 60_000,
};
export type MailTimeouts = typeof MAIL_TIMEOUTS;

/**
 * Returns a transport to the mail server of MAIL_URL, with a few connections that are reused until it is
 * closed. `smtps:` is TLS from the start. `smtp:` switches to TLS (STARTTLS) if the server offers it, and
 * requires it for a password; only to this machine it may stay plain. Certificates are always verified.
 */
export async function openMailTransport(
  config: Config,
  mail: { url: string; from: string },
  timeouts: MailTimeouts,
): Promise<MailTransport> {
  // Loaded for the first message: many processes never send one.
  const { createTransport } = await import('nodemailer');
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
    // Only we retry: the library would silently send a message twice.
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
        // The same for every attempt, so that a message that arrives twice is recognized as one.
        messageId: `<${id}@${ourName}>`,
        date: new Date(at),
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': languages.join(', ') },
        signal: AbortSignal.timeout(timeouts.messageMs),
      });
    },
    close: () => transport.close({ force: true }),
  };
}

/** Decodes a user name or password from an address. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
