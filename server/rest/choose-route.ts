import { AppError } from '../errors.ts';
import { hasBody, mediaTypeOf } from '../http/bodies/read-body.ts';
import type { Route } from './route.ts';

const ANY_TYPE = '*/*';

/**
 * Returns the route of one address and method that accepts the request's media type.
 * @throws unsupported_media_type naming what would be accepted
 */
export function chooseRoute(routes: readonly Route[], request: Request): Route {
  const mediaType = mediaTypeOf(request);
  const chosen = routes.find((route) => {
    if (!route.body) return true;
    if ('json' in route.body) {
      return mediaType === 'application/json' || (route.body.isOptional && !hasBody(request));
    }
    return (
      route.body.upload.includes(ANY_TYPE) || (mediaType !== null && route.body.upload.includes(mediaType))
    );
  });
  if (chosen) return chosen;
  const expected = routes.flatMap((route) => mediaTypesOf(route)).join(', ');
  throw new AppError('unsupported_media_type', { expected: `a body of the type ${expected}` });
}

/** Returns the media types that a route accepts; empty for a route without a body. */
export function mediaTypesOf(route: Route): string[] {
  if (!route.body) return [];
  return 'json' in route.body ? ['application/json'] : [...route.body.upload];
}
