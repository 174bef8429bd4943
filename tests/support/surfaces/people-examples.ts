import { newId } from '#server/ids.ts';
import type { TenantIds } from './fill-organization.ts';
import { type Example, operates, type ProcedureInput, personal } from './surface-example.ts';

const personOf = ({ sparePerson }: TenantIds) => ({ person: sparePerson });

/** What operators do with people, in an order in which each succeeds. */
export const PEOPLE_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'operator.access': { ...personal, request: () => ({}) },
  'operator.stuckWork': { ...operates('read', false), request: () => ({}) },
  'operator.certificates': { ...operates('read', false), request: () => ({}) },
  'operator.people': { ...operates('read', false), request: () => ({ search: 'nobody at all' }) },
  'operator.person': { ...operates('read'), request: personOf },
  'operator.createAccount': {
    ...operates('manage', false),
    request: () => ({ email: `${newId()}@example.ca`, full_name: 'New', login: newId() }),
  },
  'operator.signOutPerson': { ...operates('manage'), request: personOf },
  'operator.blockPerson': {
    ...operates('manage'),
    request: (ids) => ({ ...personOf(ids), reason: 'left' }),
  },
  'operator.unblockPerson': {
    ...operates('manage'),
    request: ({ blockedPerson }) => ({ person: blockedPerson }),
  },
};

/** The procedures that end them. */
export const ENDING_PEOPLE_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'operator.deletePerson': { ...operates('manage'), request: personOf },
};
