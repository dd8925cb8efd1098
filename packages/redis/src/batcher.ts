/** One question, and the promise of its answer. */
export interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** How a batch of questions is sent, and its answers come back. */
export interface BatchTransport<Question, Answer, Reply> {
  /** Sends a batch, and resolves with the reply to all of it. */
  readonly carry: (asked: readonly Asked<Question, Answer>[]) => Promise<Reply>;
  /** Resolves each question with its part of the reply. */
  readonly tell: (asked: readonly Asked<Question, Answer>[], reply: Reply) => void;
  /** Rejects every question of a batch. */
  readonly fail: (asked: readonly Asked<Question, Answer>[], error: unknown) => void;
  /** How much of a call's room a question takes. */
  readonly sizeOf: (question: Question) => number;
  /** The room of a call. A question that is larger is sent alone. */
  readonly room: number;
  /** Runs `work` when all that is asked in this turn has been asked. */
  readonly soon: (work: () => void) => void;
  /** Called when no question waits for an answer any more. */
  readonly rest?: () => void;
}

/** Of a call's room, what is worth a call beside another: an eighth. */
const WORTH_A_CALL = 8;

/**
 * Sends questions that are asked at the same time in one batch: those of one turn of the event loop, and those that come
 * while a call is on its way. So one that is alone is sent at once, and the more there are, the less each of them costs. What is as much as the one call on its way follows it, so that the server has work while answers are read here;
 * a full call is sent whatever is on its way. Questions are sent in the order in which they were asked.
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

  /** Whether no question waits for an answer. */
  get isResting(): boolean {
    return this.#onTheWay === 0 && this.#waiting.length === 0;
  }

  /**
   * Half of it while no other call is on its way: two that carry as much are answered sooner, one being read while the
   * other is decided.
   */
  get #room(): number {
    return this.#onTheWay === 0 ? this.#transport.room / 2 : this.#transport.room;
  }

  /** Whether the waiting questions need not wait for more. */
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

  /** Whether a question that was not sent yet fits the description. */
  holds(isMeant: (question: Question) => boolean): boolean {
    return this.#waiting.some(({ question }) => isMeant(question));
  }

  /** Sends the waiting questions. */
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

  /** An error on the way is that of all who asked. Thrown from here it would be nobody's. */
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

  /** The questions that came meanwhile are sent before the answers are read, so that they are under way while these are. */
  #arrived(size: number): void {
    this.#onTheWay -= 1;
    this.#sizeOnTheWay -= size;
    if (this.#isEnough) this.send();
    if (this.isResting) this.#transport.rest?.();
  }
}
