/**
 * The S3 error codes of this service, each with its HTTP status and its usual message (API reference, "Error
 * responses").
 */
const S3_ERRORS = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [
    403,
    "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
  ],
  AccountProblem: [
    403,
    'The spending limit of this organization is reached: it stores nothing more until the month ends or the limit is raised. Reading and deleting still work.',
  ],
  AllAccessDisabled: [403, 'All access to this object has been disabled'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'Error parsing the query parameters of the signature.'],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  BucketAlreadyExists: [
    409,
    'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
  ],
  BucketAlreadyOwnedByYou: [
    409,
    'Your previous request to create the named bucket succeeded and you already own it.',
  ],
  BadRequest: [400, 'An error occurred when parsing the HTTP request.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty'],
  ConditionalRequestConflict: [
    409,
    'The conditional request cannot succeed due to a conflicting operation against this resource.',
  ],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  IncompleteBody: [
    400,
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  ],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidChunkSizeError: [403, 'Only the last chunk is allowed to have a size less than 8192 bytes'],
  InvalidBucketAclWithObjectOwnership: [
    400,
    "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
  ],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidBucketOwnerAWSAccountID: [
    400,
    'The value of the expected bucket owner parameter must be an AWS Account ID...',
  ],
  InvalidBucketState: [409, 'The request is not valid for the current state of the bucket.'],
  InvalidDigest: [400, 'The Content-MD5 you specified was invalid.'],
  InvalidLocationConstraint: [400, 'The specified location-constraint is not valid'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartNumber: [416, 'The requested partnumber is not satisfiable'],
  InvalidPartOrder: [
    400,
    'The list of parts was not in ascending order. Parts must be ordered by part number.',
  ],
  InvalidPolicyDocument: [
    400,
    'The content of the form does not meet the conditions in the policy document.',
  ],
  InvalidRedirectLocation: [
    400,
    "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
  ],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid'],
  InvalidTag: [
    400,
    'The tag provided was not a valid tag. This error can occur if the tag did not pass input validation.',
  ],
  InvalidURI: [400, "The specified URI couldn't be parsed."],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedPolicy: [400, 'Policies must have a statement with a valid resource'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema',
  ],
  MaxMessageLengthExceeded: [400, 'Your request was too big.'],
  MaxPostPreDataLengthExceededError: [
    400,
    'Your POST request fields preceding the upload file were too large.',
  ],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingRequestBodyError: [400, 'Request Body is empty'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist'],
  NoSuchConfiguration: [404, 'The specified configuration does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The public access block configuration was not found'],
  NoSuchTagSet: [404, 'The TagSet does not exist'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration'],
  // The response for S3 operations that this service does not support.
  NotImplemented: [501, 'A header you provided implies functionality that is not implemented'],
  ObjectLockConfigurationNotFoundError: [404, 'Object Lock configuration does not exist for this bucket'],
  OperationAborted: [
    409,
    'A conflicting conditional operation is currently in progress against this resource. Please try again.',
  ],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  QuotaExceeded: [403, 'The quota of this organization is used up.'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found'],
  RequestHeaderSectionTooLarge: [
    400,
    'The request header and query parameters used to make the request exceed the maximum allowed size.',
  ],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  RequestTimeout: [
    400,
    'Your socket connection to the server was not read from or written to within the timeout period.',
  ],
  ServerSideEncryptionConfigurationNotFoundError: [
    404,
    'The server side encryption configuration was not found',
  ],
  ServiceUnavailable: [503, 'Service is unable to handle request.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  TooManyBuckets: [400, 'You have attempted to create more buckets than allowed.'],
  XAmzContentChecksumMismatch: [400, 'The provided checksum does not match the calculated checksum.'],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [number, string]>;

export type S3ErrorCode = keyof typeof S3_ERRORS;

/** The refusal of a request: an S3 code, its status, and an optional message of its own. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  /** Elements of the response in addition to those of every error, e.g. the region to sign for. */
  readonly details: Readonly<Record<string, string>>;
  /** Of the response, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: S3ErrorCode,
    message?: string,
    details: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message ?? S3_ERRORS[code][1]);
    this.name = 'S3Error';
    this.code = code;
    this.status = S3_ERRORS[code][0];
    this.details = details;
    this.headers = headers;
  }

  /** The refusal of content beyond its bound, or below it. */
  static ofSize(code: 'EntityTooLarge' | 'EntityTooSmall', size: number, bound: number): S3Error {
    return new S3Error(code, undefined, {
      ProposedSize: String(size),
      [code === 'EntityTooLarge' ? 'MaxSizeAllowed' : 'MinSizeAllowed']: String(bound),
    });
  }

  /** The refusal of an argument, which S3 names beside what was sent. */
  static ofArgument(name: string, value: string, message?: string): S3Error {
    return new S3Error('InvalidArgument', message, { ArgumentName: name, ArgumentValue: value });
  }
}
