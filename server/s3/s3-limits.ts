const KIB = 1024;
const MIB = KIB ** 2;
const GIB = KIB ** 3;

/**
 * Limits on what clients send; those of objects and parts are AWS's own ("Amazon S3 multipart upload
 * limits").
 */
export const S3_LIMITS = {
  keyBytesMax: 1_024,
  /** One PUT, one part, one copy. */
  putBytesMax: 5 * GIB,
  partBytesMin: 5 * MIB,
  partNumberMax: 10_000,
  objectBytesMax: 5 * KIB * GIB,
  metadataBytesMax: 2 * KIB,
  tagsMax: 10,
  bucketTagsMax: 50,
  tagKeyMax: 128,
  tagValueMax: 256,
  listKeysMax: 1_000,
  deleteKeysMax: 1_000,
  /** A list of 10,000 parts with checksums takes slightly less. */
  completeXmlBytesMax: 2 * MIB,
  deleteXmlBytesMax: 2 * MIB,
  /** Of a bucket policy. */
  policyBytesMax: 20 * KIB,
  otherXmlBytesMax: 64 * KIB,
  corsRulesMax: 100,
  /** Fields before the file of a form, including the policy. */
  formFieldsBytesMax: 20 * KIB,
  formFieldsMax: 100,
  skewMs: 15 * 60_000,
  presignedSecondsMax: 7 * 24 * 3_600,
} as const;
