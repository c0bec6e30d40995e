// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.WholeReport.Measure;
import dev.coxswain.bench.whole.WholeReport.Row;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * A plot of each row, as SVG: the medians as bars, relative to those of Coxswain.
 *
 * <p>Thread rule: one thread.
 */
final class BarPlots {
  private static final Map<String, Color> COLORS =
      Map.of(
          SubjectStarter.COXSWAIN, new Color(0x1E8449),
          SubjectStarter.CACHED, new Color(0x82C99D),
          SubjectStarter.OFFICIAL, new Color(0x2E86C1),
          SubjectStarter.JOSDK, new Color(0xC0392B));

  private static final int WIDTH_OF_FIGURE = 220;
  private static final int WIDTH_OF_REST = 260;

  /** Letters are drawn as outlines, for which a tenth of a pixel is enough. */
  private static final Pattern LONG_NUMBER = Pattern.compile("(\\d\\.\\d)\\d+");

  private final Path folder;

  BarPlots(Path folder) {
    this.folder = folder;
  }

  /** Draws the rows that Coxswain has figures in. */
  void draw(WholeReport report) throws IOException {
    for (Row row : report.rows()) {
      if (report.subjects(row).contains(SubjectStarter.COXSWAIN)) {
        draw(report, row);
      }
    }
  }

  private void draw(WholeReport report, Row row) throws IOException {
    Map<Measure, Map<String, Double>> medians = report.medians(row);
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH_OF_REST + WIDTH_OF_FIGURE * medians.size())
            .height(320)
            .title(row.title())
            .yAxisTitle("times Coxswain's")
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setDecimalPattern("0.##");
    chart.getStyler().setYAxisMin(0.0);
    List<String> names = medians.keySet().stream().map(Measure::name).toList();
    for (String subject : report.subjects(row)) {
      List<Double> ratios =
          medians.values().stream()
              .map(all -> ratio(all.get(subject), all.get(SubjectStarter.COXSWAIN)))
              .toList();
      chart
          .addSeries(subject, names, ratios)
          .setFillColor(Objects.requireNonNull(COLORS.get(subject)));
    }
    Path svg = folder.resolve("whole-" + row.id() + ".svg");
    VectorGraphicsEncoder.saveVectorGraphic(chart, svg.toString(), VectorGraphicsFormat.SVG);
    Files.writeString(svg, LONG_NUMBER.matcher(Files.readString(svg)).replaceAll("$1"));
  }

  private static double ratio(@Nullable Double value, @Nullable Double first) {
    return value == null || first == null || first == 0 ? 0 : value / first;
  }
}
