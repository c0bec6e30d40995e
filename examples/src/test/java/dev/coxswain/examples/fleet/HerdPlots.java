// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.examples.fleet.HerdSimulation.Report;
import java.awt.Color;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Plots of retries per second over time, as SVG files in one folder. */
final class HerdPlots {

  private static final Color[] COLORS = {
    new Color(0xC0392B), new Color(0x2E86C1), new Color(0x1E8449)
  };

  private static final int AREA_SECONDS = 3_600;
  private static final int LINE_SECONDS = 1_200;
  private static final int AVERAGE = 5;

  private final Path folder;

  HerdPlots(Path folder) {
    this.folder = folder;
  }

  Path file(String name) {
    return folder.resolve(name + ".svg");
  }

  /** Draws one run, each second of the first hour, as an area. */
  void area(String file, String title, String name, Map<String, Report> runs) throws IOException {
    XYChart chart = chart(title, AREA_SECONDS);
    double[] values = values(runs, name, AREA_SECONDS, 1);
    XYSeries series = chart.addSeries(name, seconds(AREA_SECONDS, 1), values);
    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Area).setMarker(SeriesMarkers.NONE);
    series.setFillColor(COLORS[0]);
    series.setLineWidth(0.5f);
    save(chart, file, most(values));
  }

  /** Draws several runs as lines, each point the average of a few seconds. */
  void lines(String file, String title, List<String> names, Map<String, Report> runs)
      throws IOException {
    XYChart chart = chart(title, LINE_SECONDS);
    double most = 0;
    for (String name : names) {
      double[] values = values(runs, name, LINE_SECONDS, AVERAGE);
      most = Math.max(most, most(values));
      chart
          .addSeries(name, seconds(LINE_SECONDS, AVERAGE), values)
          .setMarker(SeriesMarkers.NONE)
          .setLineWidth(1.5f);
    }
    save(chart, file, most);
  }

  private static XYChart chart(String title, int seconds) {
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(360)
            .title(title)
            .xAxisTitle("seconds since the outage began")
            .yAxisTitle("retries per second")
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setSeriesColors(COLORS);
    chart.getStyler().setXAxisTickMarkSpacingHint(100).setYAxisTickMarkSpacingHint(60);
    chart.getStyler().setXAxisMin(0.0).setXAxisMax((double) seconds);
    chart.getStyler().setYAxisMin(0.0);
    return chart;
  }

  private void save(XYChart chart, String file, double most) throws IOException {
    double end = HerdSimulation.OUTAGE_SECONDS;
    chart
        .addSeries("end of the outage", new double[] {end, end}, new double[] {0, most})
        .setMarker(SeriesMarkers.NONE)
        .setLineColor(Color.DARK_GRAY)
        .setLineStyle(SeriesLines.DASH_DASH);
    Path svg = file(file);
    VectorGraphicsEncoder.saveVectorGraphic(chart, svg.toString(), VectorGraphicsFormat.SVG);
    // Letters are drawn as outlines: a tenth of a pixel is enough for them and halves the file.
    String drawn = Files.readString(svg).replaceAll("(\\d\\.\\d)\\d+", "$1");
    Files.writeString(
        svg,
        drawn.replaceFirst(
            "(<svg [^>]*>)", "$1\n  <title>" + chart.getTitle() + "</title>\n  " + data(chart)));
  }

  /** The digest of what is drawn, which is the same whatever fonts the machine has. */
  private static String data(XYChart chart) {
    StringBuilder text = new StringBuilder(chart.getTitle());
    chart
        .getSeriesMap()
        .forEach((name, series) ->
            text.append(name)
                .append(Arrays.toString(series.getXData()))
                .append(Arrays.toString(series.getYData())));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return "<desc>SHA-256 of the data: " + HexFormat.of().formatHex(digest) + "</desc>";
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** Returns the line of a plot that identifies its data. */
  static String data(Path svg) throws IOException {
    return Files.readString(svg)
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("<desc>SHA-256"))
        .findFirst()
        .orElse("no data");
  }

  private static double[] seconds(int until, int step) {
    return IntStream.range(0, until / step).mapToDouble(i -> (double) i * step).toArray();
  }

  private static double[] values(Map<String, Report> runs, String name, int until, int step) {
    int[] perSecond = Objects.requireNonNull(runs.get(name), name).retries().perSecond();
    return IntStream.range(0, until / step)
        .mapToDouble(i -> Arrays.stream(perSecond, i * step, (i + 1) * step).average().orElse(0))
        .toArray();
  }

  private static double most(double[] values) {
    return Arrays.stream(values).max().orElse(0);
  }
}
