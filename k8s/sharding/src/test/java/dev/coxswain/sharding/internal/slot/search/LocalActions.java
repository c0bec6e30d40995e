// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.search.Actions.Local;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The actions of one replica as numbers, computed once for each pair of a server and a replica.
 *
 * <p>Thread rule: any thread; what is computed once is read without a lock.
 */
final class LocalActions {

  private final SearchOptions options;
  private final Timeliness timeliness;
  private final Parts<ModelServer> servers;
  private final Parts<ModelReplica> replicas;
  private final Parts<String> texts;
  private @Nullable Cell[] cells = new Cell[1 << 12];
  private int size;

  /** A local action as numbers. */
  record Compiled(
      int label, int replica, int server, boolean alone, Local.Effect effect, String violation) {}

  /**
   * The actions of one replica with one server.
   *
   * @param quiet the round of a timely replica that changes nothing else, which is no action of its
   *     own: it comes before the time passes; null for none
   * @param complete whether the replica has done all that is due in this unit of time
   */
  record Cell(long key, List<Compiled> actions, @Nullable Compiled quiet, boolean complete) {}

  LocalActions(
      SearchOptions options,
      Parts<ModelServer> servers,
      Parts<ModelReplica> replicas,
      Parts<String> texts) {
    this.options = options;
    this.timeliness = new Timeliness(options);
    this.servers = servers;
    this.replicas = replicas;
    this.texts = texts;
  }

  Cell of(int server, int replica, int i) {
    long key = ((long) server << 34) | ((long) replica << 2) | i;
    @Nullable Cell[] known = cells;
    for (int at = place(key, known.length); ; at = at + 1 & known.length - 1) {
      Cell cell = known[at];
      if (cell == null) {
        return add(compute(key, server, replica, i));
      }
      if (cell.key == key) {
        return cell;
      }
    }
  }

  private static int place(long key, int length) {
    long hash = key * 0x9E3779B97F4A7C15L;
    return (int) (hash >>> 32) & length - 1;
  }

  private synchronized Cell add(Cell cell) {
    if (2 * size >= cells.length) {
      @Nullable Cell[] more = new Cell[2 * cells.length];
      for (Cell one : cells) {
        if (one != null) {
          put(one, more);
        }
      }
      cells = more;
    }
    size += put(cell, cells) ? 1 : 0;
    return cell;
  }

  private static boolean put(Cell cell, @Nullable Cell[] to) {
    int at = place(cell.key, to.length);
    for (Cell one = to[at]; one != null; one = to[at]) {
      if (one.key == cell.key) {
        return false; // another thread was faster
      }
      at = at + 1 & to.length - 1;
    }
    to[at] = cell;
    return true;
  }

  private Cell compute(long key, int server, int replica, int i) {
    ModelServer s = servers.value(server);
    ModelReplica r = replicas.value(replica);
    List<Local> locals = new Actions(options, r, s, i).all();
    Compiled quiet = null;
    List<Compiled> all = new ArrayList<>();
    Set<Object> distinct = new HashSet<>();
    for (Local local : locals) {
      if (options.reduced()
          && !distinct.add(
              List.of(local.replica(), local.server(), local.effect(), local.violation()))) {
        continue;
      }
      Compiled compiled =
          new Compiled(
              texts.number(local.label()),
              replicas.number(local.replica()),
              servers.number(local.server()),
              local.effect().equals(Local.Effect.NONE),
              local.effect(),
              local.violation());
      if (!isQuiet(r, local)) {
        all.add(compiled);
      } else if (quiet == null) {
        quiet = compiled;
      }
    }
    boolean complete = r.silent() || timeliness.isComplete(r, s, i);
    return new Cell(key, List.copyOf(all), quiet, complete);
  }

  private static boolean isQuiet(ModelReplica r, Local local) {
    return !r.silent()
        && local.label().endsWith(Actions.ROUND)
        && local.replica().slots().equals(r.slots())
        && local.replica().observed().ended().equals(r.observed().ended());
  }
}
