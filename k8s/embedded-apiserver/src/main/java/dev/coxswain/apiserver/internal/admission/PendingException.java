// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import java.util.ArrayList;
import java.util.List;

/** A verb cannot go on before webhooks have answered; immutable. */
public final class PendingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Admission.Question> questions;

  PendingException(Admission.Question question) {
    super("webhooks have to be called", null, false, false);
    this.questions = List.of(question);
  }

  private PendingException(List<Admission.Question> questions) {
    super("webhooks have to be called", null, false, false);
    this.questions = List.copyOf(questions);
  }

  /** Runs several parts of a verb and throws what all of them need, at once. */
  public static void gather(List<? extends Runnable> parts) {
    List<Admission.Question> all = new ArrayList<>();
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (PendingException e) {
        all.addAll(e.questions);
      }
    }
    if (!all.isEmpty()) {
      throw new PendingException(all);
    }
  }

  List<Admission.Question> questions() {
    return questions;
  }
}
