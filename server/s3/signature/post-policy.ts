import { S3Error } from '../s3-error.ts';

/** Fields that a policy need not mention. */
const FREE: ReadonlySet<string> = new Set([
  'policy',
  'x-amz-signature',
  'file',
  'awsaccesskeyid',
  'signature',
]);
const CONDITIONS_MAX = 100;

/** Limits of the file's size set by a policy. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

interface Condition {
  readonly operator: 'eq' | 'starts-with';
  /** Lower case. */
  readonly field: string;
  readonly value: string;
}

/**
 * Returns when a form matches its policy ("Creating a POST policy"); every field must be mentioned.
 * @param fields by lower-case name, including `bucket`
 * @throws InvalidPolicyDocument, AccessDenied
 */
export function checkPolicy(
  policy: string,
  fields: ReadonlyMap<string, string>,
  now: number,
): SizeRange | null {
  const { expiration, conditions, range } = readPolicy(policy);
  if (now > expiration) throw new S3Error('AccessDenied', 'Invalid according to Policy: Policy expired.');
  for (const { operator, field, value } of conditions) {
    const sent = fields.get(field) ?? '';
    const holds =
      operator === 'eq' ? sent === value : valuesOf(field, sent).every((each) => each.startsWith(value));
    if (!holds || !fields.has(field)) throw failed(operator, field, value);
  }
  const mentioned = new Set(conditions.map(({ field }) => field));
  for (const field of fields.keys()) {
    // A checksum grants nothing more: it only restricts the file.
    const isFree = FREE.has(field) || field.startsWith('x-ignore-') || field.startsWith('x-amz-checksum-');
    if (isFree || mentioned.has(field)) continue;
    throw new S3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${field}`);
  }
  return range;
}

/** A list of content types is allowed when each of them is. */
function valuesOf(field: string, sent: string): string[] {
  return field === 'content-type' ? sent.split(',').map((type) => type.trim()) : [sent];
}

function failed(operator: string, field: string, value: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `Invalid according to Policy: Policy Condition failed: ["${operator}", "$${field}", "${value}"]`,
  );
}

function readPolicy(text: string): { expiration: number; conditions: Condition[]; range: SizeRange | null } {
  const invalid = (reason: string) => new S3Error('InvalidPolicyDocument', `Invalid Policy: ${reason}`);
  let document: unknown;
  try {
    document = JSON.parse(withJsonEscapes(Buffer.from(text, 'base64').toString('utf8')));
  } catch {
    throw invalid('Invalid JSON.');
  }
  if (!isRecord(document)) throw invalid('Invalid JSON.');
  const { expiration, conditions } = document;
  const unexpected = Object.keys(document).find((name) => name !== 'expiration' && name !== 'conditions');
  if (unexpected !== undefined) throw invalid(`Unexpected: '${unexpected}'`);
  if (typeof expiration !== 'string') throw invalid('Policy missing expiration.');
  const at = Date.parse(expiration);
  if (Number.isNaN(at) || !expiration.endsWith('Z'))
    throw invalid(`Invalid 'expiration' value: '${expiration}'`);
  if (!Array.isArray(conditions) || conditions.length > CONDITIONS_MAX)
    throw invalid('Policy missing conditions.');
  if (conditions.length === 0) throw invalid('Policy missing conditions.');
  let range: SizeRange | null = null;
  const read: Condition[] = [];
  for (const condition of conditions as unknown[]) {
    if (Array.isArray(condition)) {
      const [operator, first, second, ...rest] = condition as unknown[];
      const name = String(operator).toLowerCase();
      if (rest.length > 0 || condition.length !== 3) throw invalid('Invalid Condition.');
      if (name === 'content-length-range') range = readRange(first, second, invalid);
      else if (
        (name === 'eq' || name === 'starts-with') &&
        typeof first === 'string' &&
        typeof second === 'string' &&
        first.startsWith('$')
      ) {
        read.push({ operator: name, field: first.slice(1).toLowerCase(), value: second });
      } else throw invalid('Invalid Condition.');
    } else if (isRecord(condition)) {
      const entries = Object.entries(condition);
      const [entry] = entries;
      if (entries.length !== 1 || entry === undefined || typeof entry[1] !== 'string')
        throw invalid('Invalid Condition.');
      read.push({ operator: 'eq', field: entry[0].toLowerCase(), value: entry[1] });
    } else throw invalid('Invalid Condition.');
  }
  return { expiration: at, conditions: read, range };
}

/** Policies may escape a dollar sign and a vertical tab, which JSON does not support. */
function withJsonEscapes(json: string): string {
  return json.replace(/\\([\s\S])/g, (escaped, letter) =>
    letter === '$' ? '$' : letter === 'v' ? '\\u000b' : escaped,
  );
}

function readRange(min: unknown, max: unknown, invalid: (reason: string) => S3Error): SizeRange {
  const [from, to] = [Number(min), Number(max)];
  const areNumbers = Number.isSafeInteger(from) && Number.isSafeInteger(to) && min !== '' && max !== '';
  if (!areNumbers || from < 0 || to < from) throw invalid('Invalid content-length-range.');
  return { min: from, max: to };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
