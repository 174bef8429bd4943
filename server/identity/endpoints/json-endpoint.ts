import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestContext } from '../../context.ts';

export interface JsonEndpointRequest {
  /** The actor: the person of the console's session, or anonymous. */
  context: RequestContext;
  request: IncomingMessage;
  response: ServerResponse;
  /** The path's variable part, or an empty string. */
  uid: string;
  /** The JSON object that was sent, not validated; undefined for GET. */
  body: unknown;
}

/** A JSON address of the identity service's pages. All of them are same-origin; writes are JSON only. */
export interface JsonEndpoint {
  method: 'GET' | 'POST' | 'PUT';
  /** Below `/identity`; the first group is `uid`. */
  path: RegExp;
  answer(request: JsonEndpointRequest): Promise<object>;
}
