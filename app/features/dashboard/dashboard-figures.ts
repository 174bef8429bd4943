import type { FigureName } from '../usage/month/month-figures.tsx';

/** What the dashboard shows of a month. */
export const DASHBOARD_FIGURES: readonly FigureName[] = ['bandwidth', 'requests', 'hit_rate', 'errors'];
