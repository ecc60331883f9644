/** What was said in the conversation, oldest first, the newest in view. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useServer } from '../api/context.ts';
import { Refused } from '../api/ask.ts';
import type { MediaRef, MessageRecord, Run } from '../api/shapes.ts';
import { Reading } from '../parts/empty.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Instant } from '../time/instant.tsx';
import { sayOr, useSay } from '../words/words.ts';
import { Delivery } from './delivery.tsx';
import { useConversation } from './use-run.ts';

export function Transcript({ run }: { readonly run: Pick<Run, 'subject'> }) {
  const say = useSay();
  const conversation = run.subject === 'business' ? undefined : run.subject.slice('conversation/'.length);
  return (
    <section className="transcript" aria-label={say('run.conversation')}>
      <h3>{say('run.conversation')}</h3>
      {conversation === undefined ? (
        <p className="quiet">{say('run.noConversation')}</p>
      ) : (
        <Messages conversation={conversation} />
      )}
    </section>
  );
}

function Messages({ conversation }: { readonly conversation: string }) {
  const say = useSay();
  const server = useServer();
  const known = useConversation(`conversation/${conversation}`);
  const messages = useInfiniteQuery({
    queryKey: [server.tenant, 'messages', `conversation/${conversation}`],
    queryFn: ({ pageParam, signal }) => server.messages(conversation, pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 10_000,
    // One that nobody has spoken of yet has none.
    enabled: known.data !== undefined,
  });
  if (known.error instanceof Refused && known.error.problem.status === 404)
    return <p className="quiet">{say('run.noMessages')}</p>;
  const failed = messages.isError ? messages : known.isLoadingError ? known : undefined;
  if (failed) return <ProblemNote error={failed.error} again={() => void failed.refetch()} />;
  if (messages.isPending) return <Reading />;
  const items = (messages.data?.pages ?? []).toReversed().flatMap((page) => page.items);
  if (items.length === 0) return <p className="quiet">{say('run.noMessages')}</p>;
  return (
    <>
      {messages.hasNextPage && (
        <button
          type="button"
          className="link"
          disabled={messages.isFetchingNextPage}
          onClick={() => void messages.fetchNextPage()}
        >
          {say('run.older')}
        </button>
      )}
      <ol aria-live="polite">
        {items.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </ol>
    </>
  );
}

/** Each is fetched from its provider when it is opened. */
function Files({ message, media }: { readonly message: MessageRecord; readonly media: MediaRef }) {
  const say = useSay();
  const server = useServer();
  return [media, ...(media.more ?? [])].map(({ kind, fileName, mediaId }, n) => (
    <a key={`${n} ${mediaId}`} className="file" href={server.fileAddress(message, n)} target="_blank" rel="noreferrer">
      {fileName ?? say(`file.${kind}`)}
    </a>
  ));
}

function Message({ message }: { readonly message: MessageRecord }) {
  const say = useSay();
  const { direction, author, by, text, at, status, error } = message;
  return (
    <li data-direction={direction} data-author={author} data-private={message.private || undefined}>
      <p className="said">
        {message.deletedAt ? (
          <em>{say('message.deleted')}</em>
        ) : (
          (text ?? (message.media === null && <em>{sayOr(say, `kind.${message.kind}`, message.kind)}</em>))
        )}
        {message.media !== null && <Files message={message} media={message.media} />}
      </p>
      <p className="quiet">
        {message.private && `${say('message.private')} · `}
        {by ?? say(`message.${author}`)} · <Instant at={at} />
        {message.editedAt && ` · ${say('message.edited')}`}{' '}
        {direction === 'out' && status !== null && <Delivery status={status} />}
        {error !== null && ` · ${say.told(error)}`}
      </p>
    </li>
  );
}
