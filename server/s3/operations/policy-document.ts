import { isRecord } from '../is-record.ts';
import { S3Error } from '../s3-error.ts';

/** A policy as JSON says it; whether it means something that is supported is not decided. */
export interface PolicyDocument {
  readonly fields: Record<string, unknown>;
  /** At least one. */
  readonly statements: readonly Record<string, unknown>[];
}

const VERSIONS: ReadonlySet<unknown> = new Set([undefined, '2012-10-17', '2008-10-17']);
/** An account's number, its canonical id, or what names a member of it. */
const AWS_PRINCIPAL = /^(?:\*|\d{12}|[0-9a-f]{64}|arn:aws[\w-]*:(?:iam|sts)::\S+)$/;
/** Actions on objects; all others are on buckets. */
const ON_OBJECTS =
  /^s3:(?:(?:Get|Put|Delete|Restore|Replicate)Object|AbortMultipartUpload|ListMultipartUploadParts)/;

/**
 * Parses a bucket policy and refuses what S3 takes for none ("Bucket policy errors").
 * @throws MalformedPolicy
 */
export function readPolicyDocument(text: string, bucketName: string): PolicyDocument {
  const fields = readJson(text);
  if (fields.Statement === undefined) throw malformed('Missing required field Statement');
  const statements = listOf(fields.Statement);
  if (statements.length === 0) throw malformed('Could not parse the policy: Statement is empty!');
  if (!statements.every(isRecord)) throw malformed('This policy contains invalid Json');
  if (!VERSIONS.has(fields.Version)) throw malformed('The policy must contain a valid version string');
  for (const statement of statements) requireStatement(statement, bucketName);
  return { fields, statements };
}

function malformed(message: string): S3Error {
  return new S3Error('MalformedPolicy', message);
}

function readJson(text: string): Record<string, unknown> {
  if (!text.startsWith('{')) {
    throw malformed("Policies must be valid JSON and the first byte must be '{'");
  }
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw malformed('This policy contains invalid Json');
  }
}

function requireStatement(statement: Record<string, unknown>, bucketName: string): void {
  const { Effect, Principal, NotPrincipal } = statement;
  const field = (name: string) => statement[name] ?? statement[`Not${name}`];
  const missing = ['Effect', 'Principal', 'Action', 'Resource'].find((name) => field(name) === undefined);
  if (missing !== undefined) throw malformed(`Missing required field ${missing}`);
  if (typeof Effect !== 'string') throw malformed('This policy contains invalid Json');
  if (Effect !== 'Allow' && Effect !== 'Deny') throw malformed(`Invalid effect: ${Effect}`);
  if (Effect === 'Allow' && NotPrincipal !== undefined) {
    throw malformed('Allow with NotPrincipal is not allowed');
  }
  if (!isPrincipal(Principal ?? NotPrincipal)) throw malformed('Invalid principal in policy');
  const actions = listOf(field('Action'));
  if (!areTexts(actions) || !actions.every((action) => /^(?:\*$|s3:\S)/.test(action))) {
    throw malformed('Policy has invalid action');
  }
  const resources = listOf(field('Resource'));
  const arn = `arn:aws:s3:::${bucketName}`;
  const isOwn = (resource: string) => resource === arn || resource.startsWith(`${arn}/`);
  if (!areTexts(resources) || !resources.every(isOwn)) throw malformed('Policy has invalid resource');
  const hasPlace = (action: string) =>
    action.includes('*') || resources.some((resource) => ON_OBJECTS.test(action) === (resource !== arn));
  if (!actions.every(hasPlace)) throw malformed('Action does not apply to any resource(s) in statement');
}

function isPrincipal(principal: unknown): boolean {
  if (!isRecord(principal)) {
    const names = listOf(principal);
    return names.length > 0 && names.every((name) => name === '*');
  }
  const kinds = Object.entries(principal);
  return (
    kinds.length > 0 &&
    kinds.every(([kind, value]) => {
      const names = listOf(value);
      const isName = (name: string) => (kind === 'AWS' ? AWS_PRINCIPAL.test(name) : name !== '');
      return areTexts(names) && names.every(isName);
    })
  );
}

/** Whether there is at least one, and each is a text. */
function areTexts(values: readonly unknown[]): values is readonly string[] {
  return values.length > 0 && values.every((value) => typeof value === 'string');
}

/** JSON policies write one value and a list of one alike. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
