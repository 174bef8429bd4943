/**
 * From the system and Node's network: no response, this process can open no more, or a disk that cannot be used,
 * such as one that was mounted with the rights of another user.
 */
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE', 'ENFILE'],
  ...['EIO', 'EROFS', 'EACCES', 'EPERM'],
]);

/**
 * From PostgreSQL (appendix A): connection exceptions (08), a server that stops, starts or accepts no more
 * connections, one that has become a read-only copy, one that ran out of memory, one whose password or
 * database is being replaced (28, 3D000), a statement cancelled for taking too long (57014), a transaction that was
 * idle for longer than the server allows (25P03, 25P04), and one that was rolled back because of another: a deadlock, a
 * lock that could not be had in time, or a conflict on a copy (40001, 40P01, 55P03).
 */
const POSTGRES_CODE =
  /^(08[0-9A-Z]{3}|28(000|P01)|3D000|57P0[1-5]|57014|53[023]00|25006|25P0[34]|40001|40P01|55P03)$/;

/** From SQLite: another process holds the file, or it cannot be reached, read or written. */
const SQLITE_CODE = /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|READONLY|PROTOCOL)(_|$)/;

/** pg reports these without a code. */
const POSTGRES_MESSAGES: readonly string[] = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
];

/** What this program throws itself for a dependency that is down, without calling it. */
const OWN_CODE = 'service_unavailable';

const TIMEOUT_NAMES: ReadonlySet<string> = new Set([
  // What the AWS library throws for one of our deadlines.
  'AbortError',
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
]);
const CAUSES_MAX = 5;

/**
 * Whether an error means that a dependency is down for now: the database, the object store or the network to
 * them. The same request may succeed a moment later. A full disk does not count.
 */
export function isOutage(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth += 1) {
    if (saysOutage(current)) return true;
    if (
      current instanceof AggregateError &&
      current.errors.some((each) => each instanceof Error && saysOutage(each))
    )
      return true;
    current = current.cause;
  }
  return false;
}

function saysOutage(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === OWN_CODE) return true;
  if (SYSTEM_CODES.has(code) || POSTGRES_CODE.test(code) || SQLITE_CODE.test(code)) return true;
  if (code.startsWith('UND_ERR_') && /TIMEOUT|SOCKET/.test(code)) return true;
  if (TIMEOUT_NAMES.has(error.name)) return true;
  if (POSTGRES_MESSAGES.some((message) => error.message.startsWith(message))) return true;
  const status = httpStatusOf(error);
  // An engine refuses our key (401, 403) while that is being replaced.
  return status !== null && (status >= 500 || [401, 403, 429].includes(status)) && status !== 507;
}

/** The status that an S3 engine refused with; the SDK keeps it in `$metadata`. */
function httpStatusOf(error: Error): number | null {
  if (!('$metadata' in error) || typeof error.$metadata !== 'object' || error.$metadata === null) return null;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: unknown };
  return typeof httpStatusCode === 'number' ? httpStatusCode : null;
}
