import { readBodyOfChange } from '../body/read-body.ts';
import type { S3Call, S3Response } from '../call.ts';
import { CORS_METHODS } from '../cors/decide-cors.ts';
import { isHeaderName } from '../cors/header-names.ts';
import type { CorsRule } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { childrenOf, readXml, textOf, type XmlElement } from '../xml/read-xml.ts';
import { writeXml } from '../xml/write-xml.ts';

/** GetBucketCors. */
export async function getBucketCors({ bucket }: S3Call): Promise<S3Response> {
  if (bucket.corsRules.length === 0) {
    throw new S3Error('NoSuchCORSConfiguration', undefined, { BucketName: bucket.name });
  }
  return {
    status: 200,
    body: writeXml('CORSConfiguration', {
      CORSRule: bucket.corsRules.map((rule) => ({
        ID: rule.id,
        AllowedOrigin: rule.allowedOrigins,
        AllowedMethod: rule.allowedMethods,
        AllowedHeader: rule.allowedHeaders,
        ExposeHeader: rule.exposeHeaders,
        MaxAgeSeconds: rule.maxAgeSeconds,
      })),
    }),
  };
}

/** PutBucketCors. */
export async function putBucketCors(call: S3Call): Promise<S3Response> {
  const { access, bucket, ports } = call;
  const body = await readBodyOfChange(call, S3_LIMITS.otherXmlBytesMax, { isChecksumRequired: true });
  const root = readXml(body, 'CORSConfiguration');
  const rules = childrenOf(root, 'CORSRule');
  if (rules.length === 0 || rules.length > S3_LIMITS.corsRulesMax) throw new S3Error('MalformedXML');
  await ports.setCorsRules(bucket, access, rules.map(readRule));
  return { status: 200 };
}

/** DeleteBucketCors. */
export async function deleteBucketCors({ access, bucket, ports }: S3Call): Promise<S3Response> {
  await ports.setCorsRules(bucket, access, []);
  return { status: 204 };
}

/** @throws InvalidRequest for a pattern that could mean several things */
function refuseWildcards(name: string, patterns: readonly string[]): void {
  const wrong = patterns.find((pattern) => pattern.split('*').length > 2);
  if (wrong === undefined) return;
  throw new S3Error('InvalidRequest', `${name} "${wrong}" can not have more than one wildcard.`);
}

/** @throws InvalidRequest for what cannot be sent in a header */
function refuseUnspeakable(
  name: string,
  values: readonly string[],
  isSpeakable: (value: string) => boolean,
): void {
  const wrong = values.find((value) => !isSpeakable(value));
  if (wrong === undefined) return;
  throw new S3Error('InvalidRequest', `${name} "${wrong}" contains invalid character.`);
}

function readRule(rule: XmlElement): CorsRule {
  const texts = (name: string) => childrenOf(rule, name).map(({ text }) => text.trim());
  const [allowedOrigins, allowedMethods] = [texts('AllowedOrigin'), texts('AllowedMethod')];
  const allowedHeaders = texts('AllowedHeader');
  if (allowedOrigins.length === 0 || allowedMethods.length === 0) throw new S3Error('MalformedXML');
  const method = allowedMethods.find((each) => !CORS_METHODS.includes(each));
  if (method !== undefined) {
    throw new S3Error(
      'InvalidRequest',
      `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`,
    );
  }
  const exposeHeaders = texts('ExposeHeader');
  const wildcard = exposeHeaders.find((name) => name.includes('*'));
  if (wildcard !== undefined) {
    throw new S3Error(
      'InvalidRequest',
      `ExposeHeader "${wildcard}" contains wildcard. We currently do not support wildcard for ExposeHeader.`,
    );
  }
  refuseWildcards('AllowedOrigin', allowedOrigins);
  refuseWildcards('AllowedHeader', allowedHeaders);
  refuseUnspeakable('AllowedOrigin', allowedOrigins, (origin) => /^[!-~]+$/.test(origin));
  refuseUnspeakable('AllowedHeader', allowedHeaders, isHeaderName);
  refuseUnspeakable('ExposeHeader', exposeHeaders, isHeaderName);
  const id = textOf(rule, 'ID');
  const maxAge = textOf(rule, 'MaxAgeSeconds');
  // Below zero it means nothing to browsers, and S3 keeps it.
  if (maxAge !== null && !/^-?\d{1,9}$/.test(maxAge.trim())) throw new S3Error('MalformedXML');
  if (id !== null && id.length > 255) throw new S3Error('InvalidRequest');
  return {
    ...(id !== null && { id }),
    allowedOrigins,
    allowedMethods,
    allowedHeaders,
    exposeHeaders,
    ...(maxAge !== null && { maxAgeSeconds: Number(maxAge) }),
  };
}
