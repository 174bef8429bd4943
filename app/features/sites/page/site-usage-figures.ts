import type { FigureName } from '../../usage/month/month-figures.tsx';

/** What a site's page shows of a month. */
export const SITE_FIGURES: readonly FigureName[] = ['bandwidth', 'requests'];
