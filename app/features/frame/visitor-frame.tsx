import type { ReactNode } from 'react';
import type { User } from '#server/services/identity/schema.ts';
import { PublicFrame } from '../organizations/public-frame.tsx';
import { HomeFrame } from './home-frame.tsx';

/** The frame of a page that anyone may open: the console's for signed-in people. */
export function VisitorFrame(props: {
  visitor: User | null;
  /** The organization of the person that the page is about. */
  organizationId?: string | undefined;
  children: ReactNode;
}) {
  if (props.visitor === null) return <PublicFrame visitor={null}>{props.children}</PublicFrame>;
  return <HomeFrame organizationId={props.organizationId}>{props.children}</HomeFrame>;
}
