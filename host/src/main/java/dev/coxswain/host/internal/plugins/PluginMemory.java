// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

/**
 * The part of the heap that the contents of all plug-ins may take together, those that are being
 * loaded and those that they replace among them.
 *
 * <p>Thread rule: any thread.
 */
final class PluginMemory {

  /** The part of the heap for plug-ins; most of it is for queues, caches and reviews. */
  static final int HEAP_PART = 4;

  private final long limit;
  private long held;

  /**
   * Creates a memory of which nothing is taken.
   *
   * @param limit its bytes
   */
  PluginMemory(long limit) {
    this.limit = limit;
  }

  /** Creates the memory of a process with the heap of this one. */
  static PluginMemory ofHeap() {
    return new PluginMemory(Runtime.getRuntime().maxMemory() / HEAP_PART);
  }

  /** Returns the bytes that are not taken. */
  synchronized long free() {
    return limit - held;
  }

  private synchronized boolean take(long bytes) {
    boolean fits = held + bytes <= limit;
    if (fits) {
      held += bytes;
    }
    return fits;
  }

  private synchronized void release(long bytes) {
    held -= bytes;
  }

  /** Returns the share of one plug-in, which has no bytes yet. */
  Share share() {
    return new Share();
  }

  /**
   * What one plug-in has taken.
   *
   * <p>Thread rule: one thread at a time.
   */
  final class Share {
    private long bytes;

    /**
     * Takes bytes, before they are allocated.
     *
     * @throws PluginException when not enough are free
     */
    void add(long more) throws PluginException {
      if (!take(more)) {
        throw PluginException.noRoom(
            ("the plug-ins of this host would take more than %d MiB of memory, 1/%d of its heap;"
                    + " make it smaller, remove other plug-ins, or give the host more memory")
                .formatted(limit >> 20, HEAP_PART));
      }
      bytes += more;
    }

    /** Gives all bytes back; again without an effect. */
    void release() {
      PluginMemory.this.release(bytes);
      bytes = 0;
    }
  }
}
