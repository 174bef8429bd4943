import type { ReactNode } from 'react';
import type { User } from '#server/services/identity/schema.ts';
import { OpenFrame } from '../organizations/open-frame.tsx';
import { HomeFrame } from './home-frame.tsx';

/** The frame of a page that anybody may open: the console's for whoever is signed in. */
export function VisitorFrame(props: {
  visitor: User | null;
  /** Of the person's, which the page is about. */
  organizationId?: string | undefined;
  children: ReactNode;
}) {
  if (props.visitor === null) return <OpenFrame visitor={null}>{props.children}</OpenFrame>;
  return <HomeFrame organizationId={props.organizationId}>{props.children}</HomeFrame>;
}
