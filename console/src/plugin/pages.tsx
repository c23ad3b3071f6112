// The pages that the plugin adds to the console.
import { useParams } from 'react-router';
import { OperatorPage } from '../operators/OperatorPage';
import { OperatorsPage } from '../operators/OperatorsPage';
import { inConsole } from './host';

const ALL = '#ALL_NS#';

export const operatorsPage = inConsole(({ namespace }: { namespace?: string }) => {
  const { ns } = useParams();
  const place = namespace ?? ns;
  return <OperatorsPage namespace={place === '' || place === ALL ? undefined : place} />;
});

export const operatorPage = inConsole(({ namespace, name }: { namespace?: string; name?: string }) => {
  const parameters = useParams();
  return <OperatorPage namespace={namespace ?? parameters.ns ?? ''} name={name ?? parameters.name ?? ''} cleanup={() => null} />;
});
