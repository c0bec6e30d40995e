// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.cause;

import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Computes what failures have in common.
 *
 * <p>Thread rule: any thread.
 */
public final class FailurePatterns {
  /** How many exceptions are followed, wrappers included. */
  private static final int MAX_CAUSES = 16;

  /** The beginnings of packages that no author writes. */
  private static final List<String> LIBRARIES =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "kotlin.",
          "io.vertx.",
          "io.netty.",
          "io.kubernetes.",
          "okhttp3.",
          "okio.",
          "com.hazelcast.",
          "com.fasterxml.",
          "com.google.gson.",
          "org.junit.",
          "dev.coxswain.");

  private static final String EXAMPLES = "dev.coxswain.examples.";

  private FailurePatterns() {}

  /**
   * Returns the pattern of a failure. The methods of an exception are user code: what they hide by
   * throwing is left out.
   *
   * @param object its object; empty texts for none
   */
  public static FailurePattern of(Throwable thrown, ItemId object) {
    try {
      return read(thrown, object);
    } catch (Throwable e) { // user code may return anything: an attempt must end all the same
      return new FailurePattern(List.of(cut(thrown.getClass().getName())), "", "");
    }
  }

  private static FailurePattern read(Throwable thrown, ItemId object) {
    List<Throwable> chain = chain(thrown);
    List<String> types = new ArrayList<>(chain.size());
    chain.forEach(one -> types.add(cut(one.getClass().getName())));
    return new FailurePattern(
        types,
        MessagePattern.of(message(chain.getFirst()), object.namespace(), object.name()),
        where(chain));
  }

  /** Returns the exception and its causes without wrappers of futures, which say nothing. */
  private static List<Throwable> chain(Throwable thrown) {
    List<Throwable> chain = new ArrayList<>(2);
    Throwable next = thrown;
    for (int i = 0;
        next != null && i < MAX_CAUSES && chain.size() < FailurePattern.MAX_TYPES;
        i++) {
      Throwable cause = causeOf(next);
      boolean isWrapper = next instanceof CompletionException || next instanceof ExecutionException;
      if (!isWrapper || cause == null) {
        chain.add(next);
      }
      next = cause;
    }
    return chain.isEmpty() ? List.of(thrown) : chain;
  }

  private static @Nullable Throwable causeOf(Throwable one) {
    try {
      return one.getCause();
    } catch (Throwable e) {
      return null; // user code, overridden
    }
  }

  private static String message(Throwable one) {
    try {
      String message = one.getMessage();
      return message == null ? "" : message;
    } catch (Throwable e) {
      return ""; // user code, overridden
    }
  }

  /** Returns the first frame of the author, of the outermost exception that has one. */
  private static String where(List<Throwable> chain) {
    String top = "";
    for (Throwable one : chain) {
      for (StackTraceElement frame : frames(one)) {
        if (isOwn(frame.getClassName())) {
          return method(frame);
        }
        top = top.isEmpty() ? method(frame) : top;
      }
    }
    return top;
  }

  private static StackTraceElement[] frames(Throwable one) {
    try {
      return one.getStackTrace();
    } catch (Throwable e) {
      return new StackTraceElement[0]; // user code, overridden
    }
  }

  private static String cut(String type) {
    return type.length() > FailurePattern.MAX_TEXT
        ? type.substring(0, FailurePattern.MAX_TEXT)
        : type;
  }

  private static boolean isOwn(String type) {
    for (String library : LIBRARIES) {
      if (type.startsWith(library)) {
        return type.startsWith(EXAMPLES);
      }
    }
    return true;
  }

  /** Returns class and method. The number of a lambda is left out: a change of the class changes it. */
  private static String method(StackTraceElement frame) {
    String method = frame.getMethodName();
    if (method.startsWith("lambda$")) {
      int end = method.indexOf('$', "lambda$".length());
      method = method.substring("lambda$".length(), end < 0 ? method.length() : end);
    }
    return frame.getClassName() + "." + method;
  }
}
