import type { Route } from '../route.ts';

export const organizationRoutes: Route[] = [];
