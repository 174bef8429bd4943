import type { App } from '../../context.ts';
import { KIND_OF_CODE } from '../../error-codes.ts';
import type { AppError } from '../../errors.ts';
import { addressKey } from '../../limits/rate-limits.ts';
import { shortenAddress } from '../../logging/access-log.ts';
import type { RequestInfo } from '../requests/request-info.ts';

/** The addresses of deploys in REST and tRPC. */
const DEPLOY_PATH = /^(\/api\/v1\/sites\/[^/]+\/(versions|rollback)|deployments\.)/;

/** What is logged about a request. Its address is shortened unless the operator wants full ones. */
interface RefusedRequest extends RequestInfo {
  method?: string;
  path: string;
  /** For requests whose path does not contain it. */
  organization_id?: string;
  site_id?: string;
}

/**
 * Logs why a deploy was refused, for support: twenty lines a minute per address, because a program that keeps
 * retrying adds nothing new. Our own failures have their own log lines.
 */
export async function logRefusedDeploy(
  { config, logger, rateLimits }: App,
  { code }: AppError,
  request: RefusedRequest,
): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD' || !DEPLOY_PATH.test(request.path)) return;
  if (KIND_OF_CODE[code] === 'internal' || code === 'service_unavailable') return;
  if (!(await rateLimits.isWithin('deploy_refusal_lines', addressKey(request.address)))) return;
  const address = config.accessLog.hasWholeAddresses ? request.address : shortenAddress(request.address);
  const { requestId, ...named } = request;
  logger.info({ code, ...named, address, request_id: requestId }, 'deploy refused');
}
