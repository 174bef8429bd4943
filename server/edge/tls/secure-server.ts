import type { Socket } from 'node:net';
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls';
import { SecureConnection } from '../connections/edge-connection.ts';
import type { EdgeLimits } from '../edge-limits.ts';
import type { EdgeLogger } from '../edge-logger.ts';
import { readHostname } from '../fields/hostname.ts';
import type { EdgeCertificate } from '../ports.ts';
import {
  createIdentity,
  dnsNamesOf,
  type SecureIdentities,
  type SecureIdentity,
} from './secure-identities.ts';
import { SESSION_ID_CONTEXT, TLS_SETTINGS, ticketKeysOf } from './tls-settings.ts';

/** The settings of an edge's https port. */
export interface SecureOptions {
  /** 32 secret bytes, the same on every node. */
  readonly ticketSecret: Buffer;
  /**
   * A name whose certificate is shown to clients that send no server name, or one that has no certificate.
   */
  readonly defaultName: string;
  /** Shown instead while `defaultName` has none. */
  readonly fallback: EdgeCertificate;
}

export interface SecureServerParts {
  readonly options: SecureOptions;
  readonly identities: SecureIdentities;
  readonly limits: EdgeLimits;
  readonly logger: EdgeLogger;
  readonly now: () => number;
  /** Takes over a connection after its handshake; nothing has been read from it. */
  readonly adopt: (socket: TLSSocket, about: SecureConnection) => void;
}

const CHECK_EVERY_MS = 60_000;

/**
 * The listener of the https port: handshakes, certificates by server name, and session tickets that every
 * node can open.
 */
export class SecureServer {
  readonly server: Server;
  private readonly parts: SecureServerParts;
  /** Shown to clients without a known server name. */
  private fallback: SecureIdentity;
  private ticketKeys: Buffer;
  private readonly checks: NodeJS.Timeout;
  private readonly sockets = new Set<Socket>();

  constructor(parts: SecureServerParts) {
    const { options, limits, now } = parts;
    this.parts = parts;
    this.fallback = createIdentity(options.fallback);
    this.ticketKeys = ticketKeysOf(options.ticketSecret, now());
    this.server = createServer({
      ...this.contextOptions(),
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback: this.chooseContext,
      handshakeTimeout: limits.handshakeMs,
      noDelay: true,
    });
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      // The TLS socket above reports its own end; errors of this one carry no further information.
      socket.on('error', () => {});
    });
    this.server.on('secureConnection', this.take);
    // Node leaves a connection open after a failed or timed-out handshake.
    this.server.on('tlsClientError', (_, socket) => socket.destroy());
    this.checks = setInterval(() => this.check(), CHECK_EVERY_MS);
    this.checks.unref();
    void this.refreshFallback();
  }

  /**
   * The certificate of a name, or of the names below `*.parent`, has changed; open connections keep theirs.
   */
  invalidate(hostname: string): void {
    this.parts.identities.invalidate(hostname);
    void this.refreshFallback();
  }

  stop(): void {
    clearInterval(this.checks);
  }

  /** Closes everything still open, including handshakes. */
  destroyAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private contextOptions() {
    const { chain: cert, privateKey: key } = this.fallback.certificate;
    return {
      ...TLS_SETTINGS,
      sessionIdContext: SESSION_ID_CONTEXT,
      ticketKeys: this.ticketKeys,
      cert,
      key,
    };
  }

  private readonly chooseContext = (
    serverName: string,
    done: (error: Error | null, context?: SecureContext) => void,
  ): void => {
    const known = this.parts.identities.peek(serverName);
    if (known !== undefined) done(null, known?.context);
    else {
      this.parts.identities
        .find(serverName)
        .then((identity) => done(null, identity?.context))
        .catch((error: unknown) => this.report(error));
    }
  };

  private readonly take = (socket: TLSSocket): void => {
    // The type omits that Node sets the server name here, or false.
    const { servername: sent } = socket as { servername?: string | false };
    const serverName = sent ? readHostname(sent) : null;
    const identity = serverName === null ? null : this.parts.identities.peek(serverName);
    try {
      // Undefined: the lookup has expired or changed since the handshake began.
      const names = identity === undefined ? namesShown(socket) : (identity ?? this.fallback).names;
      this.parts.adopt(socket, new SecureConnection(serverName, names));
    } catch (error) {
      this.report(error);
      socket.destroy();
    }
  };

  /** An unexpected error ends one handshake and nothing else. */
  private report(error: unknown): void {
    this.parts.logger.error({ err: error }, 'a TLS connection broke off');
  }

  private check(): void {
    const keys = ticketKeysOf(this.parts.options.ticketSecret, this.parts.now());
    if (!keys.equals(this.ticketKeys)) {
      this.ticketKeys = keys;
      this.server.setTicketKeys(keys);
    }
    void this.refreshFallback();
  }

  private async refreshFallback(): Promise<void> {
    const { identities, logger, options } = this.parts;
    const found = await identities.find(options.defaultName);
    if (found === null || found.certificate.id === this.fallback.certificate.id) return;
    const earlier = this.fallback;
    try {
      this.fallback = found;
      this.server.setSecureContext(this.contextOptions());
    } catch (error) {
      this.fallback = earlier;
      logger.error({ err: error }, 'the default certificate cannot be used');
    }
  }
}

/** Returns the names of the certificate that was shown in a handshake. */
function namesShown(socket: TLSSocket): readonly string[] {
  const shown = socket.getX509Certificate();
  return shown === undefined ? [] : dnsNamesOf(shown);
}
