import type { ReactNode } from 'react';
import { trpc } from '../../trpc.ts';
import { MembershipsProvider } from '../organizations/memberships-provider.tsx';
import classes from './app-frame.module.css';
import { AppFrame } from './app-frame.tsx';
import { PersonsLanguage } from './persons-language.tsx';

/**
 * The console's frame around a page whose address names no organization: the person's profile, an
 * organization's members. It shows the given organization, otherwise the stored one.
 */
export function HomeFrame(props: {
  organizationId?: string | undefined;
  /** How wide the page is: a whole page, or a form. */
  width?: 'page' | 'form';
  children: ReactNode;
}) {
  const [stored] = trpc.organizations.context.useSuspenseQuery();
  return (
    <MembershipsProvider orgId={props.organizationId ?? stored.organization_id}>
      <AppFrame>
        <PersonsLanguage />
        <div className={classes.home} data-width={props.width ?? 'page'}>
          {props.children}
        </div>
      </AppFrame>
    </MembershipsProvider>
  );
}
