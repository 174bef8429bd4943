import { Trans } from '@lingui/react/macro';
import { Card } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../components/page-header.tsx';
import { CreateOrganizationForm } from './create-organization-form.tsx';
import { OpenFrame } from './open-frame.tsx';

const route = getRouteApi('/identity/organizations/new');

/** Where a named organization is made. */
export function CreateOrganizationPage() {
  const { visitor } = route.useRouteContext();
  return (
    <OpenFrame visitor={visitor} width="form">
      <PageHeader
        title={<Trans>Create an organization</Trans>}
        subtitle={
          <Trans>
            A place to host together: its sites, credentials and bill are its own, and you decide who may do
            what.
          </Trans>
        }
      />
      <Card>
        <CreateOrganizationForm />
      </Card>
    </OpenFrame>
  );
}
