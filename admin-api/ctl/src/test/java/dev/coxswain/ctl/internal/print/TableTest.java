// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

  @Test
  void columns_beginBelowEachOther_andNothingTrails() {
    Table table = new Table(List.of("NAME", "STATE"), true);
    table.row(List.of("a-long-name", "running"));
    table.row(List.of("b", ""));
    assertThat(table.take())
        .isEqualTo(
            """
            NAME          STATE
            a-long-name   running
            b             <none>
            """);
  }

  @Test
  void aTableInParts_hasOneLineOfTitles_andKeepsItsWidths() {
    Table table = new Table(List.of("NAME", "STATE"), true);
    table.row(List.of("a-long-name", "running"));
    table.take();
    assertThat(table.take()).isEmpty();
    table.row(List.of("b", "running"));
    assertThat(table.take()).isEqualTo("b             running\n");
  }

  @Test
  void withoutTitles_thereAreOnlyRows() {
    Table table = new Table(List.of("NAME"), false);
    table.row(List.of("a"));
    assertThat(table.take()).isEqualTo("a\n");
  }

  /** The text of an error comes from anywhere; it must not control the terminal. */
  @Test
  void whatSteersATerminal_isTakenOut() {
    assertThat(Console.clean("a\u001b[31mred\nnext\u009b2Jx\u202edesrever"))
        .isEqualTo("a [31mred next 2Jx desrever");
    assertThat(Console.clean("größe 🚢")).isEqualTo("größe 🚢");
  }

  @Test
  void aLongText_isCutBetweenCharacters() {
    assertThat(Table.cut("0123456789", 10)).isEqualTo("0123456789");
    assertThat(Table.cut("0123456789x", 10)).isEqualTo("0123456...");
    assertThat(Table.cut("🚢🚢🚢🚢🚢🚢", 5)).isEqualTo("🚢🚢...");
  }

  @Test
  void descriptions_leaveOutWhatIsEmpty() {
    assertThat(Table.described("Item", "a/b", "Very long label", "", "Reason", "backoff"))
        .isEqualTo("Item:    a/b\nReason:  backoff\n");
  }
}
