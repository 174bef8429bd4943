import { readSearch, textParam } from '../../search-params.ts';

export const OPERATOR_VIEWS = ['health', 'organizations', 'people', 'abuse'] as const;

const viewParam = (value: unknown) => OPERATOR_VIEWS.find((view) => view === value);

/** Which view is open, its search, and its state filter. */
export const readOperatorSearch = readSearch({ view: viewParam, search: textParam, state: textParam });
