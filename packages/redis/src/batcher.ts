/** One ask, and the promise of its reply. */
export interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** How a batch of asks is sent, and how its replies come back. */
export interface BatchTransport<Question, Answer, Reply> {
  /** Sends a batch, and resolves with the reply to all of it. */
  readonly carry: (asked: readonly Asked<Question, Answer>[]) => Promise<Reply>;
  /** Resolves each ask with its part of the reply. */
  readonly tell: (asked: readonly Asked<Question, Answer>[], reply: Reply) => void;
  /** Rejects every ask of a batch. */
  readonly fail: (asked: readonly Asked<Question, Answer>[], error: unknown) => void;
  /** How much room of a call an ask takes. */
  readonly sizeOf: (question: Question) => number;
  /** The room of a call. A larger ask is sent alone. */
  readonly room: number;
  /** Runs `work` when all asks of this turn have been made. */
  readonly soon: (work: () => void) => void;
  /** Called when no ask waits for a reply any more. */
  readonly rest?: () => void;
}

/** The part of a call's room that justifies a second call at the same time: an eighth. */
const WORTH_A_CALL = 8;

/**
 * Sends simultaneous asks in one batch: those of one turn of the event loop, and those that come while a call is on its
 * way. A single ask is sent at once. The more asks there are, the less each costs. When as many asks wait as the call
 * on its way has, they follow it, so that the server has work while replies are read here. A full call is always sent.
 * Asks are sent in the order in which they were made.
 *
 * @see DeWitt et al., "Implementation techniques for main memory database systems", 1984: group commit
 */
export class Batcher<Question, Answer, Reply> {
  readonly #transport: BatchTransport<Question, Answer, Reply>;
  #waiting: Asked<Question, Answer>[] = [];
  #size = 0;
  #onTheWay = 0;
  #sizeOnTheWay = 0;
  #isSentSoon = false;

  constructor(transport: BatchTransport<Question, Answer, Reply>) {
    this.#transport = transport;
  }

  /** Whether no ask waits for a reply. */
  get isResting(): boolean {
    return this.#onTheWay === 0 && this.#waiting.length === 0;
  }

  /**
   * Half of the room while no other call is on its way. Two calls with the same content are answered sooner: one is
   * read while the other one is decided.
   */
  get #room(): number {
    return this.#onTheWay === 0 ? this.#transport.room / 2 : this.#transport.room;
  }

  /** Whether the waiting asks need not wait for more. */
  get #isEnough(): boolean {
    if (this.#onTheWay !== 1) return this.#onTheWay === 0;
    return this.#size >= this.#sizeOnTheWay && this.#size >= this.#transport.room / WORTH_A_CALL;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const size = this.#transport.sizeOf(question);
      if (this.#size + size > this.#room) this.send();
      this.#waiting.push({ question, resolve, reject });
      this.#size += size;
      if (this.#size >= this.#room) this.send();
      else if (this.#isEnough) this.#sendSoon();
    });
  }

  /** Whether an ask that was not sent yet fits the description. */
  holds(isMeant: (question: Question) => boolean): boolean {
    return this.#waiting.some(({ question }) => isMeant(question));
  }

  /** Sends the waiting asks. */
  send(): void {
    const asked = this.#waiting;
    const size = this.#size;
    if (asked.length === 0) return;
    this.#waiting = [];
    this.#size = 0;
    this.#onTheWay += 1;
    this.#sizeOnTheWay += size;
    this.#carry(asked).then(
      (reply) => {
        this.#arrived(size);
        this.#tell(asked, reply);
      },
      (error) => {
        this.#arrived(size);
        this.#transport.fail(asked, error);
      },
    );
  }

  /** An error on the way rejects all asks of the batch. If it were thrown here, nobody would get it. */
  #carry(asked: readonly Asked<Question, Answer>[]): Promise<Reply> {
    try {
      return this.#transport.carry(asked);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #tell(asked: readonly Asked<Question, Answer>[], reply: Reply): void {
    try {
      this.#transport.tell(asked, reply);
    } catch (error) {
      this.#transport.fail(asked, error);
    }
  }

  #sendSoon(): void {
    if (this.#isSentSoon) return;
    this.#isSentSoon = true;
    this.#transport.soon(() => {
      this.#isSentSoon = false;
      if (this.#isEnough) this.send();
    });
  }

  /** The asks that came meanwhile are sent before the replies are read, so that both happen at the same time. */
  #arrived(size: number): void {
    this.#onTheWay -= 1;
    this.#sizeOnTheWay -= size;
    if (this.#isEnough) this.send();
    if (this.isResting) this.#transport.rest?.();
  }
}
